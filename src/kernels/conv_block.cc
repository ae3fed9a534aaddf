// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/work.h"
#include "kernels/conv_block-inl.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

// Quantised weights are dequantised for the tiles of a block, as many panels as a single-row tile uses at
// once. This takes at most 33 KB, usually 8 KB, in L1.
constexpr size_t kExpandedWidth = 4 * kPanelColumns;
constexpr size_t kExpandedFloats = kExpandedWidth * (kMaxDepth + 4);

constexpr size_t align(size_t bytes) { return (bytes + 15) / 16 * 16; }

size_t expanded_bytes(bool quantised) { return quantised ? kExpandedFloats * sizeof(float) : 0; }

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

// Whether the pixels of a tile all have zeros for `taps` taps, whose pointers begin at `rows`.
bool reads_nothing(const float* const* rows, size_t pixels, size_t taps, const float* zeros) {
  return std::all_of(rows, rows + pixels * taps, [=](const float* row) { return row == zeros; });
}

// The taps of a tile from the first to the last that reads the input; one tap of zeros if there are none. A
// kernel of 3x3 with dilation 24 on 33x33 reads 2.4 of its 9 taps.
Range taps_that_read(const float* const* rows, size_t pixels, Range taps, const float* zeros) {
  const auto is_unused = [&](size_t tap) { return reads_nothing(rows + tap * pixels, pixels, 1, zeros); };
  while (taps.size() > 1 && is_unused(taps.end - 1)) --taps.end;
  while (taps.size() > 1 && is_unused(taps.begin)) ++taps.begin;
  return taps;
}

// Multiplies the gathered windows of `rows` pixels by the weights of one group. The depth is divided so that
// a panel of weights stays in L1: into whole taps if they are short, into parts of a tap if it is long. A
// tile skips the parts in which it reads only zeros.
void multiply(const Conv& c, const Depth& depth, const Scratch& scratch, size_t rows,
              const PackedConv& packed, float* y, const Epilogue& epilogue, const Range& columns,
              size_t group) {
  const size_t length = std::max<size_t>(1, part_size(depth.run, kMaxDepth, 4));
  const size_t taps = length < depth.run ? 1 : kMaxDepth / length;
  const size_t tiles = tile_count(rows), first_channel = group * c.out_channels;
  // Whatever does not depend on the panel is found once for all.
  Range places[kBlockTiles], used[kBlockTiles];
  for (size_t t = 0; t < tiles; ++t) {
    const Range tile = places[t] = tile_range(rows, tiles, t);
    used[t] =
        taps_that_read(scratch.pointers + tile.begin * depth.taps, tile.size(), depth.used, scratch.zeros);
  }
  float* outputs[kBlockRows];
  const float* residual[kBlockRows];
  for (size_t r = 0; r < rows; ++r) {
    const size_t pixel = scratch.pixels[r];
    outputs[r] = y + (pixel - c.out_first) * c.out_stride + first_channel;
    if (epilogue.residual) residual[r] = epilogue.residual.from(pixel, first_channel).f32;
  }
  TileOutput out = {};
  out.bias = epilogue.bias != nullptr ? epilogue.bias + first_channel : nullptr;
  // A few rows use all panels one after the other.
  const size_t most = packed.quantised != nullptr ? kExpandedWidth : columns.size();
  const size_t width = rows <= 2 ? most : wide_panels(rows) * kPanelColumns;
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
      for (size_t t = 0; t < tiles; ++t) {
        const Range tile = places[t];
        const Range read = {std::max(tap, used[t].begin), std::min(tap + in.taps, used[t].end)};
        if (read.begin >= read.end && used[t].size() > 0) continue;
        const bool begins = read.begin == used[t].begin && offset == 0;
        const bool ends = read.end == used[t].end && next_offset == 0;
        TileInput tile_in = in;
        tile_in.rows = scratch.pointers + tile.begin * depth.taps + read.begin * tile.size();
        tile_in.taps = read.size();
        tile_in.b += (read.begin - tap) * in.length * kPanelColumns;
        if (!begins && !ends && reads_nothing(tile_in.rows, tile.size(), read.size(), scratch.zeros))
          continue;
        set_epilogue(epilogue, begins, ends, out);
        out.rows = outputs + tile.begin;
        out.residual = epilogue.residual ? residual + tile.begin : nullptr;
        run_tile_columns(tile.size(), tile_in, out, part);
        if (ends) activate_rows(epilogue, out.rows, tile.size(), part);
      }
      count_work((in.taps * in.length / kMultipliesPerStep + 1) * part.size() * rows);
      offset = next_offset;
      tap = next_tap;
    } while (!last);
  }
}

// --- few outputs -------------------------------------------------------------------------------------------

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
HWY_NOINLINE void multiply_by_rows(const Conv& c, const Depth& depth, const Scratch& scratch, size_t rows,
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

}  // namespace

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

void multiply_block(const Conv& c, const Depth& depth, const Scratch& scratch, size_t rows,
                    const PackedConv& packed, float* y, const Epilogue& epilogue, const Range& columns,
                    size_t group) {
  packed.in_rows ? multiply_by_rows(c, depth, scratch, rows, packed.f32, y, epilogue)
                 : multiply(c, depth, scratch, rows, packed, y, epilogue, columns, group);
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
