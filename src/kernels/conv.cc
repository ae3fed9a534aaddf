// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv.h"

#include <algorithm>
#include <cstring>

#include "kernels/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

// Tiles that meet a panel of weights one after another: enough to pay for its way from the second-level
// cache, few enough for their windows to stay there.
constexpr size_t kBlockTiles = 16;

// Where the taps of a row of the kernel lie side by side in memory they are one run: a third of the pointers
// for 3x3, and the 7x7 window of a picture is 7 runs of 21 instead of 49 of 3. Windows that stick out at the
// sides are copied then.
constexpr size_t kLongestRun = 256;

struct Window {
  bool merged;   // rows of the kernel are runs
  Extents taps;  // of the kernel, with 1 for the width where merged
  size_t run;    // floats of one tap
  size_t tap_count;

  explicit Window(const Conv& c)
      : merged(c.kernel[2] > 1 && c.dilation[2] == 1 && c.in_stride == c.in_channels &&
               c.kernel[2] * c.in_channels <= kLongestRun),
        taps(c.kernel),
        run(c.in_channels) {
    if (merged) {
      taps[2] = 1;
      run *= c.kernel[2];
    }
    tap_count = taps.product();
  }
};

// The scratch memory: pointers of a block's tiles, zeros for what lies outside, and copies of runs that stick
// out.
struct Scratch {
  const float** pointers;
  float* zeros;
  float* runs;
};

constexpr size_t align(size_t bytes) { return (bytes + 15) / 16 * 16; }

size_t pointer_bytes(const Window& w) {
  return align(kBlockTiles * kTileRows * w.tap_count * sizeof(float*));
}

// Runs of a block that may stick out.
size_t run_count(const Window& w) { return w.merged ? kBlockTiles * kTileRows * w.tap_count : 0; }

Scratch divide(const Window& w, void* memory) {
  char* p = static_cast<char*>(memory);
  float* zeros = reinterpret_cast<float*>(p + pointer_bytes(w));
  return {reinterpret_cast<const float**>(p), zeros, zeros + align(w.run * sizeof(float)) / sizeof(float)};
}

// Coordinates of output pixel `index`.
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

// Finds the windows of a block of pixels.
class Gatherer {
 public:
  Gatherer(const Conv& c, const Window& w, const float* x, const Scratch& scratch)
      : c_(c), w_(w), x_(x), scratch_(scratch), run_(scratch.runs) {}

  // Pointers of one pixel: tap t at pointers[t * rows].
  void gather(const Pixel& pixel, const float** pointers, size_t rows) {
    const ptrdiff_t x0 = position(2, pixel.x);
    for (size_t kz = 0; kz < w_.taps[0]; ++kz) {
      const ptrdiff_t z = position(0, pixel.z) + static_cast<ptrdiff_t>(kz * c_.dilation[0]);
      for (size_t ky = 0; ky < w_.taps[1]; ++ky) {
        const ptrdiff_t y = position(1, pixel.y) + static_cast<ptrdiff_t>(ky * c_.dilation[1]);
        const bool inside = within(z, c_.in[0]) && within(y, c_.in[1]);
        const float* row = inside ? x_ + row_offset(pixel.n, z, y) : nullptr;
        if (w_.merged) {
          *pointers = inside ? merged_run(row, x0) : scratch_.zeros;
          pointers += rows;
          continue;
        }
        for (size_t kx = 0; kx < w_.taps[2]; ++kx, pointers += rows) {
          const ptrdiff_t x = x0 + static_cast<ptrdiff_t>(kx * c_.dilation[2]);
          *pointers =
              inside && within(x, c_.in[2]) ? row + static_cast<size_t>(x) * c_.in_stride : scratch_.zeros;
        }
      }
    }
  }

 private:
  static bool within(ptrdiff_t i, size_t size) { return static_cast<size_t>(i) < size; }

  ptrdiff_t position(size_t axis, size_t out) const {
    return static_cast<ptrdiff_t>(out * c_.stride[axis]) - static_cast<ptrdiff_t>(c_.pads[axis]);
  }

  size_t row_offset(size_t n, ptrdiff_t z, ptrdiff_t y) const {
    return ((n * c_.in[0] + static_cast<size_t>(z)) * c_.in[1] + static_cast<size_t>(y)) * c_.in[2] *
           c_.in_stride;
  }

  const float* merged_run(const float* row, ptrdiff_t x) {
    const ptrdiff_t width = static_cast<ptrdiff_t>(c_.in[2]), kernel = static_cast<ptrdiff_t>(c_.kernel[2]);
    const ptrdiff_t first = std::clamp<ptrdiff_t>(-x, 0, kernel),
                    last = std::clamp<ptrdiff_t>(width - x, 0, kernel);
    const size_t channels = c_.in_channels;
    if (first == 0 && last == kernel) return row + static_cast<size_t>(x) * channels;
    if (first >= last) return scratch_.zeros;
    float* run = run_;
    run_ += w_.run;
    const size_t before = static_cast<size_t>(first) * channels, after = static_cast<size_t>(last) * channels;
    std::memset(run, 0, before * sizeof(float));
    std::memcpy(run + before, row + static_cast<size_t>(x + first) * channels,
                (after - before) * sizeof(float));
    std::memset(run + after, 0, (w_.run - after) * sizeof(float));
    return run;
  }

  const Conv& c_;
  const Window& w_;
  const float* x_;
  const Scratch& scratch_;
  float* run_;
};

// Multiplies the gathered windows of a block by the weights of one group. The depth is cut so that a panel of
// weights stays in the first-level cache: whole taps where they are short, parts of one where it is long.
void multiply(const Conv& c, const Window& w, const float* const* pointers, const float* packed, float* y,
              const Epilogue& epilogue, const Range& pixels, const Range& columns, size_t group) {
  const size_t length = part_size(w.run, kMaxDepth, 4);
  const size_t taps = length < w.run ? 1 : std::max<size_t>(1, kMaxDepth / std::max<size_t>(1, w.run));
  const size_t depth = w.tap_count * w.run;
  const size_t tiles = tile_count(pixels.size());
  float* rows[kTileRows];
  const float* residual[kTileRows];
  TileOutput out = {};
  out.rows = rows;
  out.residual = epilogue.residual != nullptr ? residual : nullptr;
  const size_t first_channel = group * c.out_channels;
  out.bias = epilogue.bias != nullptr ? epilogue.bias + first_channel : nullptr;
  const float* panel = packed + columns.begin * depth;
  // A tile of few rows takes several panels at once.
  const size_t width = wide_panels(pixels.size()) > 1 ? columns.size() : kPanelColumns;
  for (size_t column = columns.begin; column < columns.end;) {
    const Range part = {column, std::min(column + width, columns.end)};
    for (size_t tap = 0; tap < w.tap_count; tap += taps) {
      for (size_t offset = 0; offset < w.run; offset += length) {
        TileInput in = {nullptr,
                        std::min(taps, w.tap_count - tap),
                        offset,
                        std::min(length, w.run - offset),
                        1,
                        panel + (tap * w.run + offset) * kPanelColumns,
                        kPanelColumns,
                        depth * kPanelColumns};
        const bool last = tap + taps >= w.tap_count && offset + length >= w.run;
        set_epilogue(epilogue, tap == 0 && offset == 0, last, out);
        for (size_t t = 0; t < tiles; ++t) {
          const Range tile = tile_range(pixels.size(), tiles, t);
          in.rows = pointers + (tile.begin * w.tap_count + tap * tile.size());
          for (size_t r = 0; r < tile.size(); ++r) {
            const size_t pixel = pixels.begin + tile.begin + r;
            rows[r] = y + pixel * c.out_stride + first_channel;
            if (out.residual != nullptr) {
              residual[r] = epilogue.residual + pixel * epilogue.residual_stride + first_channel;
            }
          }
          run_tile_columns(tile.size(), in, out, part);
          if (last) activate_rows(epilogue, rows, tile.size(), part);
        }
      }
    }
    column = part.end;
    panel += width * depth;
  }
}

}  // namespace

size_t packed_conv_size(const Conv& c) {
  return c.groups * packed_b_size(c.kernel.product() * c.in_channels, c.out_channels);
}

void pack_conv(const Conv& c, const ConvWeights& weights, float* packed) {
  const size_t taps = c.kernel.product();
  for (size_t g = 0; g < c.groups; ++g) {
    for (size_t column = 0; column < c.out_channels; column += kPanelColumns) {
      const size_t width = std::min(kPanelColumns, c.out_channels - column);
      const float* panel = weights.data + g * weights.group_stride + column * weights.out_stride;
      for (size_t tap = 0; tap < taps; ++tap) {
        pack_b(panel + tap * weights.tap_stride, weights.in_stride, weights.out_stride, c.in_channels, width,
               {0, width}, packed);
        packed += c.in_channels * kPanelColumns;
      }
    }
  }
}

size_t conv_scratch_size(const Conv& c) {
  const Window w(c);
  return pointer_bytes(w) + align(w.run * sizeof(float)) + run_count(w) * w.run * sizeof(float);
}

void conv(const Conv& c, const float* x, const float* packed, float* y, const Epilogue& epilogue,
          void* memory, Range pixels, Range channels) {
  const Window w(c);
  const Scratch scratch = divide(w, memory);
  std::fill_n(scratch.zeros, w.run, 0.0f);
  const size_t block = kBlockTiles * kTileRows;
  for (size_t g = 0; g < c.groups; ++g) {
    const float* group_x = x + g * c.in_channels;
    const float* group_packed = packed + g * packed_b_size(w.tap_count * w.run, c.out_channels);
    for (size_t first = pixels.begin; first < pixels.end; first += block) {
      const Range part = {first, std::min(first + block, pixels.end)};
      Gatherer gatherer(c, w, group_x, scratch);
      Pixel pixel(c, first);
      const size_t tiles = tile_count(part.size());
      for (size_t t = 0; t < tiles; ++t) {
        const Range tile = tile_range(part.size(), tiles, t);
        for (size_t r = 0; r < tile.size(); ++r, pixel.advance(c)) {
          gatherer.gather(pixel, scratch.pointers + tile.begin * w.tap_count + r, tile.size());
        }
      }
      multiply(c, w, scratch.pointers, group_packed, y, epilogue, part, channels, g);
    }
  }
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
