// SPDX-License-Identifier: Apache-2.0
// Maps output pixels of a convolution to the positions of their windows in the input.
#pragma once

#include <algorithm>
#include <cstddef>

#include "kernels/conv.h"

namespace wasmvino::kernels {

// Coordinates of an output pixel. advance() increments them without dividing: the divisions that find the
// first pixel take as long as 512 multiplications.
struct Pixel {
  size_t n, z, y, x;

  Pixel(const Conv& c, size_t index) {
    x = index % c.out[2];
    index /= c.out[2];
    y = index % c.out[1];
    index /= c.out[1];
    z = index % c.out[0];
    n = index / c.out[0];
  }
  void advance(const Conv& c) {
    if (++x < c.out[2]) return;
    x = 0;
    if (++y < c.out[1]) return;
    y = 0;
    if (++z < c.out[0]) return;
    z = 0;
    ++n;
  }
};

// Whether a position is inside the input.
inline bool is_inside(const Conv& c, size_t axis, ptrdiff_t position) {
  return static_cast<size_t>(position) < c.in[axis];
}

// The input position that tap k of an output position reads.
inline ptrdiff_t input_position(const Conv& c, size_t axis, size_t out, size_t k = 0) {
  return static_cast<ptrdiff_t>(out * c.stride[axis] + k * c.dilation[axis]) -
         static_cast<ptrdiff_t>(c.pads[axis]);
}

// Whether tap k of an axis is inside the input for any output position.
inline bool reads_input(const Conv& c, size_t axis, size_t k) {
  const ptrdiff_t first = input_position(c, axis, 0, k);
  const size_t out = first >= 0 ? 0 : (static_cast<size_t>(-first) + c.stride[axis] - 1) / c.stride[axis];
  return out < c.out[axis] && is_inside(c, axis, input_position(c, axis, out, k));
}

// Index of the first element of an input row.
inline size_t input_row(const Conv& c, size_t n, ptrdiff_t z, ptrdiff_t y) {
  return ((n * c.in[0] + static_cast<size_t>(z)) * c.in[1] + static_cast<size_t>(y)) * c.in[2] * c.in_stride;
}

// Of adjacent taps whose first is at `x`, the range [begin, end) inside the row. If no tap is inside, both
// are equal.
struct TapsInside {
  size_t begin, end;

  TapsInside(const Conv& c, ptrdiff_t x) {
    const auto width = static_cast<ptrdiff_t>(c.in[2]), taps = static_cast<ptrdiff_t>(c.kernel[2]);
    begin = static_cast<size_t>(std::clamp<ptrdiff_t>(-x, 0, taps));
    end = std::max(begin, static_cast<size_t>(std::clamp<ptrdiff_t>(width - x, 0, taps)));
  }
};

}  // namespace wasmvino::kernels
