// SPDX-License-Identifier: Apache-2.0
// RGB and BGR pictures as NV12: a plane of Y, and one of pairs U, V that four pixels share.
#pragma once

#include "ops/image/yuv.h"

namespace wasmvino::ops {

// Input: [N, H, W, 3] of u8 or floating point, H and W even. Outputs: Y and then UV one after the other,
// [N, H * 3 / 2, W, 1]; or (`single_plane` false) Y [N, H, W, 1] and UV [N, H / 2, W / 2, 2]. Each is clipped
// to 0..255 and, in u8, rounded to nearest; U and V are means of four pixels, rounded once.
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
