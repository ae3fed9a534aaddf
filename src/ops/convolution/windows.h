// SPDX-License-Identifier: Apache-2.0
// What convolutions and pooling have in common: windows that step over the spatial axes of a tensor.
#pragma once

#include <string_view>

#include "model/op.h"

namespace wasmvino::ops {

enum class AutoPad : uint8_t { kExplicit, kSameUpper, kSameLower, kValid };

struct Pads {
  int64_t begin = 0, end = 0;
};

// Steps, dilations and pads as attributes give them. Empty lists are those of the specification's defaults.
struct WindowAttributes {
  Ints strides, dilations, pads_begin, pads_end;
  AutoPad auto_pad = AutoPad::kExplicit;

  void visit(AttributeVisitor& visitor, bool dilated);
  // Throws Error(kInvalidValue) unless each list holds one value for each of `axes` spatial axes, strides and
  // dilations from 1 on, pads from 0 on.
  void expect_axes(size_t axes) const;

  int64_t stride(size_t axis) const { return strides.empty() ? 1 : strides[axis]; }
  int64_t dilation(size_t axis) const { return dilations.empty() ? 1 : dilations[axis]; }
  bool is_same() const { return auto_pad == AutoPad::kSameUpper || auto_pad == AutoPad::kSameLower; }
  // Elements from the first to the last that a window of `kernel` taps meets.
  int64_t extent(size_t axis, int64_t kernel) const { return (kernel - 1) * dilation(axis) + 1; }
  // For an axis of `in` elements and windows of `kernel` taps.
  Pads pads(size_t axis, int64_t in, int64_t kernel) const;
  // `total` elements of padding shared out as auto_pad says, which is one of the `same` ones.
  Pads share(int64_t total) const;
};

// Throws Error(kInvalidValue) unless `values` is empty or holds one value for each of `axes` axes, from
// `least` on.
void expect_window_values(const Ints& values, size_t axes, int64_t least, std::string_view what);

// How many windows fit an axis: rounding of the last, incomplete step. kCeilTorch leaves out windows that
// would begin behind the input and the padding before it.
enum class Rounding : uint8_t { kFloor, kCeil, kCeilTorch };

// Windows along a spatial axis of size `in`. Throws Error(kInvalidShape) where a window of known size is
// larger than the padded axis.
Dimension window_count(const WindowAttributes& attributes, size_t axis, Dimension in, Dimension kernel,
                       Rounding rounding = Rounding::kFloor);

// Spatial axes of a tensor [batch, channels, 1 to 3 spatial axes]. Throws Error(kInvalidShape) for other
// ranks.
size_t spatial_axes(const PartialShape& shape, std::string_view what);

}  // namespace wasmvino::ops
