// SPDX-License-Identifier: Apache-2.0
// Pictures in YUV planes, where four pixels share U and V, as RGB or BGR.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/image/nv12-to-rgb-8.html
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "model/op.h"

namespace wasmvino::ops {

enum class YuvFormat : uint8_t {
  kNv12,  // a plane of Y; a plane of pairs U, V
  kI420,  // a plane each of Y, U, V
};

enum class ColorOrder : uint8_t { kRgb, kBgr };

// What pictures are of.
inline constexpr TypeSet kPictures = kFloats | TypeSet(ElementType::kU8);

// Pixels that are worth waking a thread for: about 20 us.
inline constexpr size_t kPixelsPerThread = 8192;

// Within 0..255; rounded to nearest for integers.
template <typename T>
T clipped(float value) {
  const float in_range = std::clamp(value, 0.0f, 255.0f);
  return static_cast<T>(std::is_integral_v<T> ? std::nearbyint(in_range) : in_range);
}

// Throws where height or width of a picture [N, H, W, ...] is odd.
void expect_even_sides(const PartialShape& picture);

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
