// SPDX-License-Identifier: Apache-2.0
// Computes which input elements contribute to each element of a resized axis, and with what weights, for all
// modes of Interpolate.
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

// The attributes of Interpolate that determine the windows.
struct ResizeRule {
  ResizeMode mode = ResizeMode::kNearest;
  CoordinateMode coordinates = CoordinateMode::kHalfPixel;
  NearestMode nearest = NearestMode::kRoundPreferFloor;
  // For kLinear: widens the triangles by the scales. True only if at least one axis shrinks.
  bool antialias = false;
  double cube_coeff = -0.75;
};

// One axis to resize.
struct ResizeAxis {
  int64_t size = 1;  // of the input
  int64_t pad_begin = 0, pad_end = 0;
  int64_t result = 1;
  float scale = 1;

  int64_t padded() const { return pad_begin + size + pad_end; }
};

// Element i of the result is the sum over k < taps of weights[i * taps + k] * input[first[i] + k]. All
// windows lie inside the input: pads are zero, so they are left out.
struct ResizeWindows {
  size_t taps = 0;
  std::vector<int32_t> first;
  std::vector<float> weights;
};

// For all modes except kNearest. The axis must not be empty, pads included. If the elements of the axis are
// adjacent in memory (`contiguous`), `taps` is a number for which combine_windows has vector code.
ResizeWindows make_windows(const ResizeRule& rule, const ResizeAxis& axis, bool contiguous);

// For kNearest: the index of the input element for each element of the result; -1 for an element in the pads.
std::vector<int32_t> nearest_elements(const ResizeRule& rule, const ResizeAxis& axis);

}  // namespace wasmvino::kernels
