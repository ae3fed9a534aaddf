// SPDX-License-Identifier: Apache-2.0
// Which elements of an axis make an element of the resized axis, and how much of each: the modes of
// Interpolate.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/image/interpolate-11.html
#pragma once

#include <cstdint>
#include <vector>

#include "core/shape.h"

namespace wasmvino::kernels {

enum class ResizeMode : uint8_t { kNearest, kLinear, kLinearOnnx, kCubic, kBilinearPillow, kBicubicPillow };
enum class CoordinateMode : uint8_t {
  kHalfPixel,
  kPytorchHalfPixel,
  kAsymmetric,
  kTfHalfPixelForNn,
  kAlignCorners,
};
enum class NearestMode : uint8_t { kRoundPreferFloor, kRoundPreferCeil, kFloor, kCeil, kSimple };

struct ResizeRule {
  ResizeMode mode = ResizeMode::kNearest;
  CoordinateMode coordinates = CoordinateMode::kHalfPixel;
  NearestMode nearest = NearestMode::kRoundPreferFloor;
  // Of kLinear: triangles as wide as the scales say. True only where some axis shrinks.
  bool antialias = false;
  double cube_coeff = -0.75;
};

struct ResizeAxis {
  int64_t size = 1;  // of the input
  int64_t pad_begin = 0, pad_end = 0;
  int64_t result = 1;
  float scale = 1;

  int64_t padded() const { return pad_begin + size + pad_end; }
};

// Element i of the result is the sum over k < taps of weights[i * taps + k] * input[first[i] + k]. All
// windows lie inside the input: what lies in the pads is zero and left out.
struct ResizeWindows {
  size_t taps = 0;
  std::vector<int32_t> first;
  std::vector<float> weights;
};

// For all modes but kNearest. The axis has elements, pads included. Where its elements are neighbours in
// memory
// (`contiguous`), the number of taps is one that combine_windows has vectors for.
ResizeWindows make_windows(const ResizeRule& rule, const ResizeAxis& axis, bool contiguous);

// For kNearest: the input's element for each of the result; -1 stands for one of the pads.
std::vector<int32_t> nearest_elements(const ResizeRule& rule, const ResizeAxis& axis);

}  // namespace wasmvino::kernels
