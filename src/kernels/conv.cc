// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv.h"

#include <algorithm>
#include <cstring>

#include "kernels/conv_windows.h"
#include "kernels/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

// Tiles that use a panel of weights one after the other: enough to pay for reading the panel from L2, few
// enough for their windows to stay there.
constexpr size_t kBlockTiles = 16;

// If the taps of a kernel row are adjacent in memory, they form one run. This takes a third of the pointers
// for 3x3. The 7x7 window of an image becomes 7 runs of 21 floats instead of 49 of 3. Windows that extend
// beyond the sides are then copied.
constexpr size_t kLongestRun = 256;

// The depth of a tile: a number of taps with `run` floats each.
struct Depth {
  size_t taps, run;
  size_t total() const { return taps * run; }
};

struct Window {
  bool merged;   // rows of the kernel are runs
  Extents taps;  // of the kernel, with a width of 1 if merged
  size_t run;    // floats per tap

  explicit Window(const Conv& c)
      : merged(c.kernel[2] > 1 && c.dilation[2] == 1 && c.in_stride == c.in_channels &&
               c.kernel[2] * c.in_channels <= kLongestRun),
        taps(c.kernel),
        run(c.in_channels) {
    if (merged) {
      taps[2] = 1;
      run *= c.kernel[2];
    }
  }
  Depth depth() const { return {taps.product(), run}; }
};

constexpr size_t kBlockRows = kBlockTiles * kTileRows;

// Quantised weights are dequantised for the tiles of a block, as many panels as a single-row tile uses at
// once. This takes at most 33 KB, usually 8 KB, in L1.
constexpr size_t kExpandedWidth = 4 * kPanelColumns;
constexpr size_t kExpandedFloats = kExpandedWidth * (kMaxDepth + 4);

// The scratch memory: pointers of a block's tiles, the output pixels of its rows, the input rows that a row
// of outputs reads, dequantised weights, zeros for positions outside, and copies of runs that extend beyond
// the sides.
struct Scratch {
  const float** pointers;
  size_t* pixels;
  const float** rows;
  float* expanded;
  float* zeros;
  float* runs;
};

constexpr size_t align(size_t bytes) { return (bytes + 15) / 16 * 16; }

size_t expanded_bytes(bool compressed) { return compressed ? kExpandedFloats * sizeof(float) : 0; }

CheckedSize scratch_bytes(const Depth& depth, bool copies_runs, bool compressed) {
  const CheckedSize taps(depth.taps), pointers = taps * kBlockRows;
  return (pointers * sizeof(float*)).rounded_up(16) + align(kBlockRows * sizeof(size_t)) +
         (taps * sizeof(float*)).rounded_up(16) + expanded_bytes(compressed) +
         (CheckedSize(depth.run) * sizeof(float)).rounded_up(16) *
             (copies_runs ? pointers + 1 : CheckedSize(1));
}

Scratch divide(const Depth& depth, bool compressed, void* memory) {
  Scratch s;
  char* p = static_cast<char*>(memory);
  s.pointers = reinterpret_cast<const float**>(p);
  p += align(kBlockRows * depth.taps * sizeof(float*));
  s.pixels = reinterpret_cast<size_t*>(p);
  p += align(kBlockRows * sizeof(size_t));
  s.rows = reinterpret_cast<const float**>(p);
  p += align(depth.taps * sizeof(float*));
  s.expanded = reinterpret_cast<float*>(p);
  p += expanded_bytes(compressed);
  s.zeros = reinterpret_cast<float*>(p);
  s.runs = reinterpret_cast<float*>(p + align(depth.run * sizeof(float)));
  std::fill_n(s.zeros, depth.run, 0.0f);
  return s;
}

// Finds the windows of a block of pixels.
class Gatherer {
 public:
  Gatherer(const Conv& c, const Window& w, const float* x, const Scratch& scratch)
      : c_(c), w_(w), x_(x), scratch_(scratch), run_(scratch.runs) {}

  // Finds the input rows of a pixel. gather() then uses them for all adjacent pixels.
  void enter_row(const Pixel& pixel) {
    const float** row = scratch_.rows;
    for (size_t kz = 0; kz < w_.taps[0]; ++kz) {
      const ptrdiff_t z = input_position(c_, 0, pixel.z, kz);
      for (size_t ky = 0; ky < w_.taps[1]; ++ky) {
        const ptrdiff_t y = input_position(c_, 1, pixel.y, ky);
        const bool inside = is_inside(c_, 0, z) && is_inside(c_, 1, y);
        *row++ = inside ? x_ + input_row(c_, pixel.n, z, y) : nullptr;
      }
    }
  }

  // Writes the pointers of one pixel: tap t at pointers[t * rows].
  void gather(const Pixel& pixel, const float** pointers, size_t rows) {
    const ptrdiff_t x0 = input_position(c_, 2, pixel.x);
    const size_t count = w_.taps[0] * w_.taps[1];
    if (w_.merged) {
      const bool whole = x0 >= 0 && static_cast<size_t>(x0) + c_.kernel[2] <= c_.in[2];
      const size_t offset = static_cast<size_t>(x0) * c_.in_channels;
      for (size_t i = 0; i < count; ++i, pointers += rows) {
        const float* row = scratch_.rows[i];
        *pointers = row == nullptr ? scratch_.zeros : whole ? row + offset : cut_run(row, x0);
      }
      return;
    }
    for (size_t i = 0; i < count; ++i) {
      const float* row = scratch_.rows[i];
      for (size_t kx = 0; kx < w_.taps[2]; ++kx, pointers += rows) {
        const ptrdiff_t x = x0 + static_cast<ptrdiff_t>(kx * c_.dilation[2]);
        const bool inside = row != nullptr && is_inside(c_, 2, x);
        *pointers = inside ? row + static_cast<size_t>(x) * c_.in_stride : scratch_.zeros;
      }
    }
  }

 private:
  // Copies a run that extends beyond a side, with zeros outside.
  const float* cut_run(const float* row, ptrdiff_t x) {
    const TapsInside taps(c_, x);
    if (taps.begin == taps.end) return scratch_.zeros;
    const size_t channels = c_.in_channels;
    float* run = run_;
    run_ += w_.run;
    const size_t before = taps.begin * channels, after = taps.end * channels;
    std::memset(run, 0, before * sizeof(float));
    const float* const from = row + static_cast<size_t>(x + static_cast<ptrdiff_t>(taps.begin)) * channels;
    std::memcpy(run + before, from, (after - before) * sizeof(float));
    std::memset(run + after, 0, (w_.run - after) * sizeof(float));
    return run;
  }

  const Conv& c_;
  const Window& w_;
  const float* x_;
  const Scratch& scratch_;
  float* run_;
};

// Sets the weights that a tile uses: rows `depth` and columns `columns` of the matrix of a group.
void set_weights(const PackedConv& packed, size_t total_depth, const Range& depth, const Range& columns,
                 float* expanded, TileInput& in) {
  in.b_stride = kPanelColumns;
  if (packed.compressed == nullptr) {
    in.b = packed.f32 + columns.begin * total_depth + depth.begin * kPanelColumns;
    in.panel_stride = total_depth * kPanelColumns;
    return;
  }
  // Matrices are dequantised in units of four rows.
  const size_t first = depth.begin / 4 * 4;
  expand(*packed.compressed, {first, depth.end}, columns, expanded);
  in.b = expanded + (depth.begin - first) * kPanelColumns;
  in.panel_stride = (depth.end - first + 3) / 4 * 4 * kPanelColumns;
}

// Multiplies the gathered windows of `rows` pixels by the weights of one group. The depth is divided so that
// a panel of weights stays in L1: into whole taps if they are short, into parts of a tap if it is long.
void multiply(const Conv& c, const Depth& depth, const Scratch& scratch, size_t rows,
              const PackedConv& packed, float* y, const Epilogue& epilogue, const Range& columns,
              size_t group) {
  const size_t length = std::max<size_t>(1, part_size(depth.run, kMaxDepth, 4));
  const size_t taps = length < depth.run ? 1 : kMaxDepth / length;
  const size_t tiles = tile_count(rows);
  float* outputs[kTileRows];
  const float* residual[kTileRows];
  TileOutput out = {};
  out.rows = outputs;
  out.residual = epilogue.residual != nullptr ? residual : nullptr;
  const size_t first_channel = group * c.out_channels;
  out.bias = epilogue.bias != nullptr ? epilogue.bias + first_channel : nullptr;
  // A tile with few rows uses several panels at once.
  const size_t most = packed.compressed != nullptr ? kExpandedWidth : columns.size();
  const size_t width = wide_panels(rows) > 1 ? most : kPanelColumns;
  for (size_t column = columns.begin; column < columns.end; column += width) {
    const Range part = {column, std::min(column + width, columns.end)};
    size_t tap = 0, offset = 0;
    bool last = false;
    do {  // runs once if there is nothing to add up
      TileInput in = {};
      in.taps = std::min(taps, depth.taps - tap);
      in.offset = offset;
      in.length = std::min(length, depth.run - offset);
      in.k_stride = 1;
      const size_t first = tap * depth.run + offset;
      set_weights(packed, depth.total(), {first, first + in.taps * in.length}, part, scratch.expanded, in);
      const size_t next_offset = offset + length < depth.run ? offset + length : 0;
      const size_t next_tap = next_offset > 0 ? tap : tap + taps;
      last = next_tap >= depth.taps;
      set_epilogue(epilogue, tap == 0 && offset == 0, last, out);
      for (size_t t = 0; t < tiles; ++t) {
        const Range tile = tile_range(rows, tiles, t);
        in.rows = scratch.pointers + tile.begin * depth.taps + tap * tile.size();
        for (size_t r = 0; r < tile.size(); ++r) {
          const size_t pixel = scratch.pixels[tile.begin + r];
          outputs[r] = y + (pixel - c.out_first) * c.out_stride + first_channel;
          if (out.residual != nullptr) {
            residual[r] = epilogue.residual + pixel * epilogue.residual_stride + first_channel;
          }
        }
        run_tile_columns(tile.size(), in, out, part);
        if (last) activate_rows(epilogue, outputs, tile.size(), part);
      }
      offset = next_offset;
      tap = next_tap;
    } while (!last);
  }
}

// --- transposed --------------------------------------------------------------------------------------------

// One combination of remainders of output positions modulo the strides.
struct Phase {
  size_t remainder[3];

  bool has_tap(const Conv& c, size_t axis, size_t k) const {
    return k * c.dilation[axis] % c.stride[axis] == remainder[axis];
  }
  size_t tap_count(const Conv& c) const {
    size_t product = 1;
    for (size_t axis = 0; axis < 3; ++axis) {
      size_t count = 0;
      for (size_t k = 0; k < c.kernel[axis]; ++k) count += has_tap(c, axis, k) ? 1 : 0;
      product *= count;
    }
    return product;
  }
  // The first output position of the phase that is not before `begin`.
  size_t first_from(const Conv& c, size_t axis, size_t begin) const {
    const size_t stride = c.stride[axis];
    return begin + (remainder[axis] + stride - (begin + c.pads[axis]) % stride) % stride;
  }
};

Phase phase_at(const Conv& c, size_t index) {
  return {{index / c.stride[2] / c.stride[1], index / c.stride[2] % c.stride[1], index % c.stride[2]}};
}

// Calls body(kz, ky, kx) for the taps of a phase.
template <typename Body>
void for_taps(const Conv& c, const Phase& phase, const Body& body) {
  for (size_t kz = 0; kz < c.kernel[0]; ++kz) {
    if (!phase.has_tap(c, 0, kz)) continue;
    for (size_t ky = 0; ky < c.kernel[1]; ++ky) {
      if (!phase.has_tap(c, 1, ky)) continue;
      for (size_t kx = 0; kx < c.kernel[2]; ++kx) {
        if (phase.has_tap(c, 2, kx)) body(kz, ky, kx);
      }
    }
  }
}

// The input position that contributes through tap k to an output position. If there is none, a position
// outside the input.
size_t source(const Conv& c, size_t axis, size_t out, size_t k) {
  const size_t sum = out + c.pads[axis], part = k * c.dilation[axis];
  return sum >= part ? (sum - part) / c.stride[axis] : c.in[axis];
}

}  // namespace

size_t packed_conv_size(const Conv& c) {
  return (CheckedSize(c.groups) * packed_b_size(c.kernel.product() * c.in_channels, c.out_channels)).value();
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

CheckedSize conv_scratch_size(const Conv& c, bool compressed) {
  const Window w(c);
  return scratch_bytes(w.depth(), w.merged, compressed);
}

void conv(const Conv& c, const float* x, const PackedConv& packed, float* y, const Epilogue& epilogue,
          void* memory, Range pixels, Range channels) {
  const Window w(c);
  const Depth depth = w.depth();
  const Scratch scratch = divide(depth, packed.compressed != nullptr, memory);
  PackedConv weights = packed;
  for (size_t g = 0; g < c.groups; ++g, weights.advance(packed_b_size(depth.total(), c.out_channels))) {
    for (size_t first = pixels.begin; first < pixels.end; first += kBlockRows) {
      const size_t rows = std::min(kBlockRows, pixels.end - first);
      Gatherer gatherer(c, w, x + g * c.in_channels, scratch);
      Pixel pixel(c, first);
      const size_t tiles = tile_count(rows);
      for (size_t t = 0; t < tiles; ++t) {
        const Range tile = tile_range(rows, tiles, t);
        for (size_t r = 0; r < tile.size(); ++r, pixel.advance(c)) {
          if (pixel.x == 0 || tile.begin + r == 0) gatherer.enter_row(pixel);
          scratch.pixels[tile.begin + r] = first + tile.begin + r;
          gatherer.gather(pixel, scratch.pointers + tile.begin * depth.taps + r, tile.size());
        }
      }
      multiply(c, depth, scratch, rows, weights, y, epilogue, channels, g);
    }
  }
}

void pack_transposed_conv(const Conv& c, const ConvWeights& weights, float* packed) {
  for (size_t g = 0; g < c.groups; ++g) {
    for (size_t i = 0; i < c.stride.product(); ++i) {
      const Phase phase = phase_at(c, i);
      for (size_t column = 0; column < c.out_channels; column += kPanelColumns) {
        const size_t width = std::min(kPanelColumns, c.out_channels - column);
        const float* panel = weights.data + g * weights.group_stride + column * weights.out_stride;
        for_taps(c, phase, [&](size_t kz, size_t ky, size_t kx) {
          const size_t tap = (kz * c.kernel[1] + ky) * c.kernel[2] + kx;
          pack_b(panel + tap * weights.tap_stride, weights.in_stride, weights.out_stride, c.in_channels,
                 width, {0, width}, packed);
          packed += c.in_channels * kPanelColumns;
        });
      }
    }
  }
}

size_t taps_of_phase(const Conv& c, size_t phase, size_t* taps) {
  size_t count = 0;
  for_taps(c, phase_at(c, phase), [&](size_t kz, size_t ky, size_t kx) {
    taps[count++] = (kz * c.kernel[1] + ky) * c.kernel[2] + kx;
  });
  return count;
}

CheckedSize transposed_conv_scratch_size(const Conv& c, bool compressed) {
  return scratch_bytes({c.kernel.product(), c.in_channels}, false, compressed);
}

void transposed_conv(const Conv& c, const float* x, const PackedConv& packed, float* y,
                     const Epilogue& epilogue, void* memory, Range rows, Range channels) {
  PackedConv weights = packed;
  for (size_t g = 0; g < c.groups; ++g) {
    for (size_t i = 0; i < c.stride.product(); ++i) {
      const Phase phase = phase_at(c, i);
      const Depth depth = {phase.tap_count(c), c.in_channels};
      const Scratch scratch = divide(depth, packed.compressed != nullptr, memory);
      size_t count = 0;  // pixels in the block
      size_t block[kBlockRows];
      const auto flush = [&] {
        if (count == 0) return;
        const size_t tiles = tile_count(count);
        for (size_t t = 0; t < tiles; ++t) {
          const Range tile = tile_range(count, tiles, t);
          for (size_t r = 0; r < tile.size(); ++r) {
            const size_t index = block[tile.begin + r];
            const Pixel pixel(c, index);
            const float** pointers = scratch.pointers + tile.begin * depth.taps + r;
            scratch.pixels[tile.begin + r] = index;
            for_taps(c, phase, [&](size_t kz, size_t ky, size_t kx) {
              const size_t iz = source(c, 0, pixel.z, kz), iy = source(c, 1, pixel.y, ky);
              const size_t ix = source(c, 2, pixel.x, kx);
              const bool inside = iz < c.in[0] && iy < c.in[1] && ix < c.in[2];
              const size_t at = ((pixel.n * c.in[0] + iz) * c.in[1] + iy) * c.in[2] + ix;
              *pointers = inside ? x + at * c.in_stride + g * c.in_channels : scratch.zeros;
              pointers += tile.size();
            });
          }
        }
        multiply(c, depth, scratch, count, weights, y, epilogue, channels, g);
        count = 0;
      };
      for (size_t row = rows.begin; row < rows.end; ++row) {
        const size_t oy = row % c.out[1], oz = row / c.out[1] % c.out[0];
        if (phase.first_from(c, 1, oy) != oy || phase.first_from(c, 0, oz) != oz) continue;
        for (size_t ox = phase.first_from(c, 2, 0); ox < c.out[2]; ox += c.stride[2]) {
          block[count++] = row * c.out[2] + ox;
          if (count == kBlockRows) flush();
        }
      }
      flush();
      weights.advance(packed_b_size(depth.total(), c.out_channels));
    }
  }
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
