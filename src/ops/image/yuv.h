// SPDX-License-Identifier: Apache-2.0
// Converts images in YUV planes, where four pixels share U and V, to RGB or BGR.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/image/nv12-to-rgb-8.html
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "model/op.h"

namespace wasmvino::ops {

enum class YuvFormat : uint8_t {
  kNv12,  // a plane of Y; a plane of U, V pairs
  kI420,  // one plane each of Y, U, V
};

enum class ColorOrder : uint8_t { kRgb, kBgr };

// The element types of images.
inline constexpr TypeSet kPictures = kFloats | TypeSet(ElementType::kU8);

// Grain: pixels in about 20 µs of work.
inline constexpr size_t kPixelsPerThread = 8192;

// Clips to 0..255; rounds to nearest for integers.
template <typename T>
T clipped(float value) {
  const float in_range = std::clamp(value, 0.0f, 255.0f);
  return static_cast<T>(std::is_integral_v<T> ? std::nearbyint(in_range) : in_range);
}

// Throws if height or width of an image [N, H, W, ...] is odd.
void expect_even_sides(const PartialShape& picture);

// Inputs, of u8 or floating point: all planes in one tensor [N, H * 3 / 2, W, 1]; or Y [N, H, W, 1] and
// either UV [N, H / 2, W / 2, 2] or U and V [N, H / 2, W / 2, 1]. Output: [N, H, W, 3], clipped to 0..255 and
// rounded to nearest for u8.
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
