// SPDX-License-Identifier: Apache-2.0
// Shared by convolutions and pooling: windows that step over the spatial axes of a tensor.
#pragma once

#include <string_view>

#include "model/op.h"

namespace wasmvino::ops {

enum class AutoPad : uint8_t { kExplicit, kSameUpper, kSameLower, kValid };

struct Pads {
  int64_t begin = 0, end = 0;
};

// Strides, dilations and pads as given by the attributes. Empty lists stand for the specification's defaults.
struct WindowAttributes {
  Ints strides, dilations, pads_begin, pads_end;
  AutoPad auto_pad = AutoPad::kExplicit;

  void visit(AttributeVisitor& visitor, bool dilated);
  // Throws Error(kInvalidValue) unless each list has one value per spatial axis: strides and dilations of 1
  // or more, pads of 0 or more. `axes` is the number of spatial axes.
  void expect_axes(size_t axes) const;

  int64_t stride(size_t axis) const { return strides.empty() ? 1 : strides[axis]; }
  int64_t dilation(size_t axis) const { return dilations.empty() ? 1 : dilations[axis]; }
  bool is_same() const { return auto_pad == AutoPad::kSameUpper || auto_pad == AutoPad::kSameLower; }
  // Number of elements from the first to the last that a window of `kernel` taps covers.
  int64_t extent(size_t axis, int64_t kernel) const { return (kernel - 1) * dilation(axis) + 1; }
  // For an axis of `in` elements and windows of `kernel` taps.
  Pads pads(size_t axis, int64_t in, int64_t kernel) const;
  // Divides `total` elements of padding as auto_pad says, which must be one of the `same` values.
  Pads share(int64_t total) const;
};

// Throws Error(kInvalidValue) unless `values` is empty or has one value of at least `least` for each of
// `axes` axes.
void expect_window_values(const Ints& values, size_t axes, int64_t least, std::string_view what);

// How the number of windows is rounded if the last step is incomplete. kCeilTorch leaves out windows that
// would begin after the input and the padding before it.
enum class Rounding : uint8_t { kFloor, kCeil, kCeilTorch };

// The number of windows along a spatial axis of size `in`. Throws Error(kInvalidShape) if a window of known
// size is larger than the padded axis.
Dimension window_count(const WindowAttributes& attributes, size_t axis, Dimension in, Dimension kernel,
                       Rounding rounding = Rounding::kFloor);

// The number of spatial axes of a tensor [batch, channels, 1 to 3 spatial axes]. Throws Error(kInvalidShape)
// for other ranks.
size_t spatial_axes(const PartialShape& shape, std::string_view what);

}  // namespace wasmvino::ops
