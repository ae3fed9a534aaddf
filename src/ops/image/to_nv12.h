// SPDX-License-Identifier: Apache-2.0
// Converts RGB and BGR images to NV12: a plane of Y, and a plane of U, V pairs that four pixels share.
#pragma once

#include "ops/image/yuv.h"

namespace wasmvino::ops {

// Input: [N, H, W, 3] of u8 or floating point, with even H and W. Outputs: Y followed by UV in one tensor [N,
// H * 3 / 2, W, 1], or, if `single_plane` is false, Y [N, H, W, 1] and UV [N, H / 2, W / 2, 2]. Values are
// clipped to 0..255 and, for u8, rounded to nearest. U and V are means of four pixels, rounded once.
class ToNv12Op : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) final { visitor.on("single_plane", single_plane_); }
  size_t least_outputs() const final { return single_plane_ ? 1 : 2; }
  void infer(InferContext& context) const final;
  std::unique_ptr<Kernel> compile(CompileContext& context) const final;

 protected:
  explicit ToNv12Op(ColorOrder order) : order_(order) {}

 private:
  ColorOrder order_;
  bool single_plane_ = true;
};

}  // namespace wasmvino::ops
