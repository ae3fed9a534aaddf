// SPDX-License-Identifier: Apache-2.0
// Pictures in YUV planes, where four pixels share U and V, as RGB or BGR.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/image/nv12-to-rgb-8.html
#pragma once

#include "model/op.h"

namespace wasmvino::ops {

enum class YuvFormat : uint8_t {
  kNv12,  // a plane of Y; a plane of pairs U, V
  kI420,  // a plane each of Y, U, V
};

enum class ColorOrder : uint8_t { kRgb, kBgr };

// Inputs, of u8 or floating point: all planes one after the other [N, H * 3 / 2, W, 1]; or Y [N, H, W, 1] and
// UV [N, H / 2, W / 2, 2] or U and V [N, H / 2, W / 2, 1]. Output: [N, H, W, 3], clipped to 0..255; u8 is
// rounded to nearest.
class YuvOp : public Op {
 public:
  void infer(InferContext& context) const final;
  std::unique_ptr<Kernel> compile(CompileContext& context) const final;

 protected:
  YuvOp(YuvFormat format, ColorOrder order) : format_(format), order_(order) {}

 private:
  YuvFormat format_;
  ColorOrder order_;
};

}  // namespace wasmvino::ops
