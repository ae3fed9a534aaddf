// SPDX-License-Identifier: Apache-2.0
// What both forms of Winograd's convolution F(4x4, 3x3) have in common: tiles and their windows. Included by
// .cc files of kernels only.
#pragma once

#include <algorithm>

#include "kernels/simd.h"
#include "kernels/winograd.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

constexpr size_t kOut = kWinogradTile, kIn = kOut + 2, kFrequencies = kIn * kIn;

constexpr size_t round_up(size_t n, size_t multiple) { return (n + multiple - 1) / multiple * multiple; }

// Rounds a number of elements up to an odd number of cache lines. Otherwise the 36 streams of a transform
// would share a few sets of L1.
template <typename T>
constexpr size_t odd_lines(size_t elements) {
  return (round_up(elements * sizeof(T), 64) / 64 | 1) * 64 / sizeof(T);
}

struct Tiles {
  size_t rows, columns;
  explicit Tiles(const Conv& c) : rows((c.out[1] + kOut - 1) / kOut), columns((c.out[2] + kOut - 1) / kOut) {}
  size_t count(const Conv& c) const { return c.batch * c.out[0] * rows * columns; }
};

// Start of a tile in the output.
struct TileAt {
  size_t plane, y, x;
  static TileAt of(const Tiles& tiles, size_t index) {
    return {index / tiles.columns / tiles.rows, index / tiles.columns % tiles.rows * kOut,
            index % tiles.columns * kOut};
  }
  // The rows and columns that are inside the output, and the first pixel.
  size_t height(const Conv& c) const { return std::min(kOut, c.out[1] - y); }
  size_t width(const Conv& c) const { return std::min(kOut, c.out[2] - x); }
  size_t pixel(const Conv& c) const { return (plane * c.out[1] + y) * c.out[2] + x; }
};

// The input pixels of a tile, of the plane that tap kz of the kernel reads. Positions outside the image read
// the same values, those of a vector, for every channel.
template <typename T>
struct InputTile {
  const T* pixels[kIn][kIn];
  size_t steps[kIn][kIn];

  InputTile(const Conv& c, const TileAt& at, size_t kz, const T* x, const T* outside) {
    const size_t iz = at.plane % c.out[0] + kz * c.dilation[0] - c.pads[0];
    const size_t plane = at.plane / c.out[0] * c.in[0] + iz;
    for (size_t i = 0; i < kIn; ++i) {
      for (size_t j = 0; j < kIn; ++j) {
        const size_t iy = at.y + i - c.pads[1], ix = at.x + j - c.pads[2];
        const bool inside = iz < c.in[0] && iy < c.in[1] && ix < c.in[2];
        pixels[i][j] = inside ? x + ((plane * c.in[1] + iy) * c.in[2] + ix) * c.in_stride : outside;
        steps[i][j] = inside ? 1 : 0;
      }
    }
  }
  const T* at(size_t i, size_t j, size_t channel) const { return pixels[i][j] + channel * steps[i][j]; }
};

}  // namespace
}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
