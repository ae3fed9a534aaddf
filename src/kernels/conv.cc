// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv.h"

#include <algorithm>
#include <cstring>

#include "core/call.h"
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
// beyond the sides are then copied. Long runs are worthwhile only if single taps are shorter than a few
// vectors, as in the filters of 400 samples that read a wave.
constexpr size_t kLongestRun = 256, kLongestRunOfFewChannels = 4096, kFewChannels = 16;

// The depth of a tile: a number of taps with `run` floats each. Only the taps `used` are multiplied.
struct Depth {
  size_t taps, run;
  Range used;
  Depth(size_t taps, size_t run) : taps(taps), run(run), used{0, taps} {}
  size_t total() const { return taps * run; }
};

// Whether tap k of an axis is inside the input for any output position.
bool reads_input(const Conv& c, size_t axis, size_t k) {
  const ptrdiff_t first = input_position(c, axis, 0, k);
  const size_t out = first >= 0 ? 0 : (static_cast<size_t>(-first) + c.stride[axis] - 1) / c.stride[axis];
  return out < c.out[axis] && is_inside(c, axis, input_position(c, axis, out, k));
}

struct Window {
  bool merged;   // rows of the kernel are runs
  Extents taps;  // of the kernel, with a width of 1 if merged
  size_t run;    // floats per tap

  explicit Window(const Conv& c)
      : merged(c.kernel[2] > 1 && c.dilation[2] == 1 && c.in_stride == c.in_channels &&
               c.kernel[2] * c.in_channels <=
                   (c.in_channels < kFewChannels ? kLongestRunOfFewChannels : kLongestRun)),
        taps(c.kernel),
        run(c.in_channels) {
    if (merged) {
      taps[2] = 1;
      run *= c.kernel[2];
    }
  }

  // Omits the taps before the first and after the last that read the input. The outer taps of a widely
  // dilated kernel read only padding if the input is small.
  Depth depth(const Conv& c) const {
    Depth depth(taps.product(), run);
    const auto is_used = [&](size_t tap) {
      const bool row =
          reads_input(c, 0, tap / taps[2] / taps[1]) && reads_input(c, 1, tap / taps[2] % taps[1]);
      return row && (merged || reads_input(c, 2, tap % taps[2]));
    };
    while (depth.used.size() > 0 && !is_used(depth.used.begin)) ++depth.used.begin;
    while (depth.used.size() > 0 && !is_used(depth.used.end - 1)) --depth.used.end;
    return depth;
  }
};

constexpr size_t kBlockRows = kBlockTiles * kTileRows;

// Quantised weights are dequantised for the tiles of a block, as many panels as a single-row tile uses at
// once. This takes at most 33 KB, usually 8 KB, in L1.
constexpr size_t kExpandedWidth = 4 * kPanelColumns;
constexpr size_t kExpandedFloats = kExpandedWidth * (kMaxDepth + 4);

// The scratch memory: pointers of a block's tiles, the output pixels of its rows, the input rows that a row
// of outputs reads, where each tap of a transposed convolution begins in its row, dequantised weights, zeros
// for positions outside, and copies of runs that extend beyond the sides.
struct Scratch {
  const float** pointers;
  size_t* pixels;
  const float** rows;
  ptrdiff_t* starts;
  float* expanded;
  float* zeros;
  float* runs;
};

constexpr size_t align(size_t bytes) { return (bytes + 15) / 16 * 16; }

size_t expanded_bytes(bool quantised) { return quantised ? kExpandedFloats * sizeof(float) : 0; }

CheckedSize scratch_bytes(const Depth& depth, bool copies_runs, bool quantised) {
  const CheckedSize taps(depth.taps), pointers = taps * kBlockRows;
  return (pointers * sizeof(float*)).rounded_up(16) + align(kBlockRows * sizeof(size_t)) +
         (taps * sizeof(float*)).rounded_up(16) + (taps * sizeof(ptrdiff_t)).rounded_up(16) +
         expanded_bytes(quantised) +
         (CheckedSize(depth.run) * sizeof(float)).rounded_up(16) *
             (copies_runs ? pointers + 1 : CheckedSize(1));
}

Scratch divide(const Depth& depth, bool quantised, void* memory) {
  Scratch s;
  char* p = static_cast<char*>(memory);
  s.pointers = reinterpret_cast<const float**>(p);
  p += align(kBlockRows * depth.taps * sizeof(float*));
  s.pixels = reinterpret_cast<size_t*>(p);
  p += align(kBlockRows * sizeof(size_t));
  s.rows = reinterpret_cast<const float**>(p);
  p += align(depth.taps * sizeof(float*));
  s.starts = reinterpret_cast<ptrdiff_t*>(p);
  p += align(depth.taps * sizeof(ptrdiff_t));
  s.expanded = reinterpret_cast<float*>(p);
  p += expanded_bytes(quantised);
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
  if (packed.quantised == nullptr) {
    in.b = packed.f32 + columns.begin * total_depth + depth.begin * kPanelColumns;
    in.panel_stride = total_depth * kPanelColumns;
    return;
  }
  // Matrices are dequantised in units of four rows.
  const size_t first = depth.begin / 4 * 4;
  expand(*packed.quantised, {first, depth.end}, columns, expanded);
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
  out.residual = epilogue.residual ? residual : nullptr;
  const size_t first_channel = group * c.out_channels;
  out.bias = epilogue.bias != nullptr ? epilogue.bias + first_channel : nullptr;
  // A tile with few rows uses several panels at once.
  const size_t most = packed.quantised != nullptr ? kExpandedWidth : columns.size();
  const size_t width = wide_panels(rows) > 1 ? most : kPanelColumns;
  for (size_t column = columns.begin; column < columns.end; column += width) {
    const Range part = {column, std::min(column + width, columns.end)};
    size_t tap = depth.used.begin, offset = 0;
    bool last = false;
    do {  // runs once if there is nothing to add up
      TileInput in = {};
      in.taps = std::min(taps, depth.used.end - tap);
      in.offset = offset;
      in.length = std::min(length, depth.run - offset);
      in.k_stride = 1;
      const size_t first = tap * depth.run + offset;
      set_weights(packed, depth.total(), {first, first + in.taps * in.length}, part, scratch.expanded, in);
      const size_t next_offset = offset + length < depth.run ? offset + length : 0;
      const size_t next_tap = next_offset > 0 ? tap : tap + taps;
      last = next_tap >= depth.used.end;
      set_epilogue(epilogue, tap == depth.used.begin && offset == 0, last, out);
      for (size_t t = 0; t < tiles; ++t) {
        const Range tile = tile_range(rows, tiles, t);
        in.rows = scratch.pointers + tile.begin * depth.taps + tap * tile.size();
        for (size_t r = 0; r < tile.size(); ++r) {
          const size_t pixel = scratch.pixels[tile.begin + r];
          outputs[r] = y + (pixel - c.out_first) * c.out_stride + first_channel;
          if (epilogue.residual) residual[r] = epilogue.residual.from(pixel, first_channel).f32;
        }
        run_tile_columns(tile.size(), in, out, part);
        if (last) activate_rows(epilogue, outputs, tile.size(), part);
      }
      offset = next_offset;
      tap = next_tap;
    } while (!last);
  }
}

// --- few outputs -------------------------------------------------------------------------------------------

// The most output channels whose sums are faster as products of vectors: a tile multiplies by eight columns,
// used or not.
constexpr size_t kFewOutputs = 3;

// Pixels that are computed together: as many as keep sums and weights in registers.
constexpr size_t pixels_together(size_t outputs) { return outputs == 1 ? kTileRows : 3; }

// Computes the outputs of adjacent pixels of a tile. `pointers`: those of the first pixel, [taps][rows].
template <size_t kPixels, size_t kOutputs>
HWY_NOINLINE void multiply_filters(const float* const* pointers, size_t rows, const Depth& depth,
                                   const float* filters, float (&results)[kPixels][kOutputs]) {
  const size_t total = depth.total(), whole = depth.run / kLanes * kLanes;
  VF sums[kPixels][kOutputs];
  for (auto& of_pixel : sums) std::fill_n(of_pixel, kOutputs, zero());
  for (auto& of_pixel : results) std::fill_n(of_pixel, kOutputs, 0.0f);
  pointers += depth.used.begin * rows;
  for (size_t tap = depth.used.begin; tap < depth.used.end; ++tap, pointers += rows) {
    const float* const filter = filters + tap * depth.run;
    for (size_t i = 0; i < whole; i += kLanes) {
      VF weights[kOutputs];
      HWY_UNROLL(4)
      for (size_t o = 0; o < kOutputs; ++o) weights[o] = load(filter + o * total + i);
      HWY_UNROLL(8)
      for (size_t p = 0; p < kPixels; ++p) {
        const VF x = load(pointers[p] + i);
        HWY_UNROLL(4)
        for (size_t o = 0; o < kOutputs; ++o) sums[p][o] = mul_add(x, weights[o], sums[p][o]);
      }
    }
    for (size_t i = whole; i < depth.run; ++i) {
      for (size_t p = 0; p < kPixels; ++p) {
        for (size_t o = 0; o < kOutputs; ++o) results[p][o] += pointers[p][i] * filter[o * total + i];
      }
    }
  }
  for (size_t p = 0; p < kPixels; ++p) {
    for (size_t o = 0; o < kOutputs; ++o) results[p][o] += hn::ReduceSum(F32x4(), sums[p][o]);
  }
}

template <size_t kOutputs>
void multiply_few(const Conv& c, const Depth& depth, const Scratch& scratch, size_t rows,
                  const float* filters, float* y, const Epilogue& epilogue) {
  constexpr size_t kPixels = pixels_together(kOutputs);
  const auto finish = [&](size_t row, const float(&sums)[kOutputs]) {
    const size_t pixel = scratch.pixels[row];
    float* const to = y + (pixel - c.out_first) * c.out_stride;
    for (size_t o = 0; o < kOutputs; ++o) to[o] = finish_sum(epilogue, sums[o], pixel, o);
  };
  const size_t tiles = tile_count(rows);
  for (size_t t = 0; t < tiles; ++t) {
    const Range tile = tile_range(rows, tiles, t);
    const float* const* const pointers = scratch.pointers + tile.begin * depth.taps;
    size_t r = 0;
    for (; r + kPixels <= tile.size(); r += kPixels) {
      float sums[kPixels][kOutputs];
      multiply_filters(pointers + r, tile.size(), depth, filters, sums);
      for (size_t p = 0; p < kPixels; ++p) finish(tile.begin + r + p, sums[p]);
    }
    for (; r < tile.size(); ++r) {
      float sums[1][kOutputs];
      multiply_filters(pointers + r, tile.size(), depth, filters, sums);
      finish(tile.begin + r, sums[0]);
    }
  }
}

// The same as multiply(), for weights in rows. There is one group.
void multiply_by_rows(const Conv& c, const Depth& depth, const Scratch& scratch, size_t rows,
                      const float* filters, float* y, const Epilogue& epilogue) {
  switch (c.out_channels) {
    case 1:
      multiply_few<1>(c, depth, scratch, rows, filters, y, epilogue);
      break;
    case 2:
      multiply_few<2>(c, depth, scratch, rows, filters, y, epilogue);
      break;
    default:
      static_assert(kFewOutputs == 3);
      multiply_few<3>(c, depth, scratch, rows, filters, y, epilogue);
  }
  // Calls for single pixels would take longer than the activation.
  const bool adjacent = scratch.pixels[rows - 1] - scratch.pixels[0] == rows - 1;
  const bool whole = adjacent && c.out_stride == c.out_channels;
  for (size_t r = 0; r < (whole ? 1 : rows); ++r) {
    activate_stored(epilogue, y + (scratch.pixels[r] - c.out_first) * c.out_stride,
                    whole ? rows * c.out_channels : c.out_channels);
  }
}

void multiply_block(const Conv& c, const Depth& depth, const Scratch& scratch, size_t rows,
                    const PackedConv& packed, float* y, const Epilogue& epilogue, const Range& columns,
                    size_t group) {
  packed.in_rows ? multiply_by_rows(c, depth, scratch, rows, packed.f32, y, epilogue)
                 : multiply(c, depth, scratch, rows, packed, y, epilogue, columns, group);
}

// Floats of the packed weights of a group, or of a phase of it.
size_t packed_floats(const PackedConv& packed, size_t depth, size_t outputs) {
  return packed.in_rows ? depth * outputs : packed_b_size(depth, outputs);
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

// The input position that contributes through tap k to an output position of the same phase. It may be
// outside the input.
ptrdiff_t source(const Conv& c, size_t axis, size_t out, size_t k) {
  const auto sum = static_cast<ptrdiff_t>(out + c.pads[axis]);
  return (sum - static_cast<ptrdiff_t>(k * c.dilation[axis])) / static_cast<ptrdiff_t>(c.stride[axis]);
}

// The positions along a row that the taps of a phase read for output position `out`.
void set_starts(const Conv& c, const Phase& phase, size_t out, ptrdiff_t* starts) {
  for_taps(c, phase, [&](size_t, size_t, size_t kx) { *starts++ = source(c, 2, out, kx); });
}

// The input rows that the taps of a phase read for a row of outputs; nullptr for rows outside.
void find_rows(const Conv& c, const Phase& phase, const float* x, size_t row, const float** rows) {
  const size_t oy = row % c.out[1], oz = row / c.out[1] % c.out[0], n = row / c.out[1] / c.out[0];
  for_taps(c, phase, [&](size_t kz, size_t ky, size_t) {
    const ptrdiff_t z = source(c, 0, oz, kz), y = source(c, 1, oy, ky);
    *rows++ = is_inside(c, 0, z) && is_inside(c, 1, y) ? x + input_row(c, n, z, y) : nullptr;
  });
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

bool few_outputs_fit(const Conv& c, bool transposed) {
  const size_t run = transposed ? c.in_channels : Window(c).run;
  return c.groups == 1 && c.out_channels <= kFewOutputs && (run % kLanes == 0 || run >= 2 * kLanes);
}

size_t filter_rows_size(const Conv& c) {
  return (CheckedSize(c.out_channels) * c.kernel.product() * c.in_channels).value();
}

void pack_filter_rows(const Conv& c, const ConvWeights& weights, float* packed) {
  for (size_t o = 0; o < c.out_channels; ++o) {
    for (size_t tap = 0; tap < c.kernel.product(); ++tap) {
      const float* from = weights.data + o * weights.out_stride + tap * weights.tap_stride;
      for (size_t i = 0; i < c.in_channels; ++i) *packed++ = from[i * weights.in_stride];
    }
  }
}

CheckedSize conv_scratch_size(const Conv& c, bool quantised) {
  const Window w(c);
  return scratch_bytes(w.depth(c), w.merged, quantised);
}

void conv(const Conv& c, const float* x, const PackedConv& packed, float* y, const Epilogue& epilogue,
          void* memory, Range pixels, Range channels) {
  const Window w(c);
  const Depth depth = w.depth(c);
  const Scratch scratch = divide(depth, packed.quantised != nullptr, memory);
  PackedConv weights = packed;
  const size_t floats = packed_floats(packed, depth.total(), c.out_channels);
  WorkMeter meter;
  for (size_t g = 0; g < c.groups; ++g, weights.advance(floats)) {
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
      multiply_block(c, depth, scratch, rows, weights, y, epilogue, channels, g);
      meter.add(rows * depth.total());
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

void pack_transposed_filter_rows(const Conv& c, const ConvWeights& weights, float* packed) {
  for (size_t i = 0; i < c.stride.product(); ++i) {
    const Phase phase = phase_at(c, i);
    for (size_t o = 0; o < c.out_channels; ++o) {
      for_taps(c, phase, [&](size_t kz, size_t ky, size_t kx) {
        const size_t tap = (kz * c.kernel[1] + ky) * c.kernel[2] + kx;
        const float* from = weights.data + o * weights.out_stride + tap * weights.tap_stride;
        for (size_t k = 0; k < c.in_channels; ++k) *packed++ = from[k * weights.in_stride];
      });
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

CheckedSize transposed_conv_scratch_size(const Conv& c, bool quantised) {
  return scratch_bytes({c.kernel.product(), c.in_channels}, false, quantised);
}

void transposed_conv(const Conv& c, const float* x, const PackedConv& packed, float* y,
                     const Epilogue& epilogue, void* memory, Range rows, Range channels) {
  PackedConv weights = packed;
  WorkMeter meter;  // a row of outputs takes minutes if it and the filter have 65,536 elements
  for (size_t g = 0; g < c.groups; ++g) {
    for (size_t i = 0; i < c.stride.product(); ++i) {
      const Phase phase = phase_at(c, i);
      const Depth depth(phase.tap_count(c), c.in_channels);
      const Scratch scratch = divide(depth, packed.quantised != nullptr, memory);
      // The outputs of a row are `stride` apart, and read adjacent inputs.
      const size_t first_x = phase.first_from(c, 2, 0);
      set_starts(c, phase, first_x, scratch.starts);
      struct Place {
        size_t row, step;
      };
      Place block[kBlockRows];
      size_t count = 0;
      const auto flush = [&] {
        if (count == 0) return;
        const size_t tiles = tile_count(count);
        for (size_t t = 0; t < tiles; ++t) {
          const Range tile = tile_range(count, tiles, t);
          for (size_t r = tile.begin; r < tile.end; ++r) {
            const auto [row, step] = block[r];
            if (r == 0 || row != block[r - 1].row) {
              find_rows(c, phase, x + g * c.in_channels, row, scratch.rows);
            }
            scratch.pixels[r] = row * c.out[2] + first_x + step * c.stride[2];
            const float** pointers = scratch.pointers + tile.begin * depth.taps + (r - tile.begin);
            for (size_t tap = 0; tap < depth.taps; ++tap, pointers += tile.size()) {
              const float* const in = scratch.rows[tap];
              const size_t at = static_cast<size_t>(scratch.starts[tap]) + step;
              *pointers = in != nullptr && at < c.in[2] ? in + at * c.in_stride : scratch.zeros;
            }
          }
        }
        multiply_block(c, depth, scratch, count, weights, y, epilogue, channels, g);
        meter.add(count * depth.total());
        count = 0;
      };
      for (size_t row = rows.begin; row < rows.end; ++row) {
        const size_t oy = row % c.out[1], oz = row / c.out[1] % c.out[0];
        if (phase.first_from(c, 1, oy) != oy || phase.first_from(c, 0, oz) != oz) continue;
        for (size_t step = 0; first_x + step * c.stride[2] < c.out[2]; ++step) {
          block[count++] = {row, step};
          if (count == kBlockRows) flush();
        }
      }
      flush();
      weights.advance(packed_floats(packed, depth.total(), c.out_channels));
    }
  }
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
