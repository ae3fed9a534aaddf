// SPDX-License-Identifier: Apache-2.0
// The register tile of GEMM and convolutions: a few rows of C by panels of 8 columns.
//
// Rows of A are given as pointers. For a convolution, each row has several pointers (`taps`) that gather its
// window, so that no im2col copy is needed. Rows of C are pointers too, because transposed convolutions
// scatter them.
#pragma once

#include "kernels/epilogue-inl.h"
#include "kernels/gemm.h"
#include "kernels/registers.h"
#include "kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {

// See gemm.h for the measurements.
inline constexpr size_t kTileRows = kFusedMulAdd ? 6 : 4;

// Depth of a block of B. One of its panels (8 KB) and the rows multiplied by it stay in the first-level
// cache.
inline constexpr size_t kMaxDepth = 256;

// What a tile multiplies: for each tap, `length` elements of every row, k_stride apart, starting at `offset`.
struct TileInput {
  const float* const* rows;  // [taps][rows of the tile]
  size_t taps, offset, length, k_stride;
  const float* b;  // element (p, j) of a panel at b[p * b_stride + j]
  size_t b_stride, panel_stride;
};

struct TileOutput {
  float* const* rows;            // of C
  const float* const* residual;  // rows; null for none
  const float* bias;             // one value per column, or one per row; null for none
  bool bias_per_row;
  bool accumulate;  // C holds the sums of earlier parts of the depth, which replace bias and residual
  bool clamp;
  float low, high;
};

// A tile with any number of taps (kTaps) or with one. Node.js 20 peels the first iteration off an inner loop
// and allocates worse registers for the rest: 50 GFLOP/s in the first-level cache instead of 58. Chromium 156
// reaches 58 with both.
template <size_t kRows, size_t kVectors, bool kTaps>
HWY_NOINLINE void tile(const TileInput& in, const TileOutput& out, size_t column) {
  constexpr size_t kPanels = (kVectors + 1) / 2;
  VF sum[kRows][kVectors];
  if (out.accumulate) {
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) {
      HWY_UNROLL(8)
      for (size_t v = 0; v < kVectors; ++v) sum[r][v] = load(out.rows[r] + column + v * kLanes);
    }
  } else {
    const float* columns = out.bias != nullptr && !out.bias_per_row ? out.bias + column : kZeroFloats;
    HWY_UNROLL(8)
    for (size_t v = 0; v < kVectors; ++v) {
      const VF bias = load(columns + v * kLanes);
      HWY_UNROLL(8)
      for (size_t r = 0; r < kRows; ++r) sum[r][v] = bias;
    }
    if (out.bias != nullptr && out.bias_per_row) {
      HWY_UNROLL(8)
      for (size_t r = 0; r < kRows; ++r) {
        HWY_UNROLL(8)
        for (size_t v = 0; v < kVectors; ++v) sum[r][v] = load_splat(out.bias + r);
      }
    }
    if (out.residual != nullptr) {
      HWY_UNROLL(8)
      for (size_t r = 0; r < kRows; ++r) {
        HWY_UNROLL(8)
        for (size_t v = 0; v < kVectors; ++v) {
          sum[r][v] = hn::Add(sum[r][v], load(out.residual[r] + column + v * kLanes));
        }
      }
    }
  }

  const float* panels[kPanels];
  HWY_UNROLL(8)
  for (size_t p = 0; p < kPanels; ++p) panels[p] = in.b + p * in.panel_stride;
  const size_t k_stride = in.k_stride, b_stride = in.b_stride;
  const auto multiply_tap = [&](const float* const* tap_rows) HWY_ATTR __attribute__((always_inline)) {
    const float* rows[kRows];
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) rows[r] = tap_rows[r] + in.offset;
    // Not unrolled: LLVM would move the loads of several steps to the top, where V8 spills them (36 instead
    // of 62 GFLOP/s).
    HWY_UNROLL(1)
    for (size_t k = in.length; k > 0; --k) {
      if constexpr (kPanels == 1 || kRows > 2) {
        VF b[kVectors];
        HWY_UNROLL(8)
        for (size_t p = 0; p < kPanels; ++p) {
          b[2 * p] = load(panels[p]);
          if constexpr (kVectors > 1) b[2 * p + 1] = load(panels[p] + kLanes);
          panels[p] += b_stride;
        }
        HWY_UNROLL(8)
        for (size_t r = 0; r < kRows; ++r) {
          const VF x = load_splat(rows[r]);
          rows[r] += k_stride;
          HWY_UNROLL(8)
          for (size_t v = 0; v < kVectors; ++v) sum[r][v] = mul_add(x, b[v], sum[r][v]);
        }
      } else {
        VF x[kRows];
        HWY_UNROLL(8)
        for (size_t r = 0; r < kRows; ++r) {
          x[r] = load_splat(rows[r]);
          rows[r] += k_stride;
        }
        HWY_UNROLL(8)
        for (size_t p = 0; p < kPanels; ++p) {
          const VF b0 = load(panels[p]), b1 = load(panels[p] + kLanes);
          panels[p] += b_stride;
          HWY_UNROLL(8)
          for (size_t r = 0; r < kRows; ++r) {
            sum[r][2 * p] = mul_add(x[r], b0, sum[r][2 * p]);
            sum[r][2 * p + 1] = mul_add(x[r], b1, sum[r][2 * p + 1]);
          }
        }
      }
    }
  };
  if constexpr (kTaps) {
    const float* const* tap_rows = in.rows;
    for (size_t tap = in.taps; tap > 0; --tap, tap_rows += kRows) multiply_tap(tap_rows);
  } else {
    multiply_tap(in.rows);
  }

  if (out.clamp) {
    const VF low = set(out.low), high = set(out.high);
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) {
      HWY_UNROLL(8)
      for (size_t v = 0; v < kVectors; ++v) sum[r][v] = clamp(sum[r][v], low, high);
    }
  }
  HWY_UNROLL(8)
  for (size_t r = 0; r < kRows; ++r) {
    float* row = out.rows[r] + column;
    HWY_UNROLL(8)
    for (size_t v = 0; v < kVectors; ++v) store(sum[r][v], row + v * kLanes);
  }
}

// Panels per tile. One or two rows use several panels at once to have eight sums in flight. With wide
// registers, so do all: 6x8 has only six sums then (57 GFLOP/s in L1 in Node.js 24, which reaches 45 without
// the flag; 4x16 71, 5x16 80, 6x16 83). Without wide registers, 6x16 spills (33).
inline size_t wide_panels(size_t rows) { return rows == 1 ? 4 : rows == 2 || wide_registers() ? 2 : 1; }

template <size_t kRows, bool kTaps>
void run_tile_of(bool wide, const TileInput& in, const TileOutput& out, size_t column) {
  if constexpr (kRows <= 2) {
    wide ? tile<kRows, 8 / kRows, kTaps>(in, out, column) : tile<kRows, 2, kTaps>(in, out, column);
  } else {
    if (kMayBeWide && wide) return tile<kRows, 4, kTaps>(in, out, column);
    tile<kRows, 2, kTaps>(in, out, column);
  }
}

template <bool kTaps>
void run_tile_of(size_t rows, bool wide, const TileInput& in, const TileOutput& out, size_t column) {
  switch (rows) {
    case 1:
      return run_tile_of<1, kTaps>(wide, in, out, column);
    case 2:
      return run_tile_of<2, kTaps>(wide, in, out, column);
    case 3:
      return run_tile_of<3, kTaps>(wide, in, out, column);
    case 4:
      return run_tile_of<4, kTaps>(wide, in, out, column);
  }
  if constexpr (kTileRows > 4) {
    rows == 5 ? run_tile_of<5, kTaps>(wide, in, out, column) : run_tile_of<6, kTaps>(wide, in, out, column);
  }
}

inline void run_tile(size_t rows, bool wide, const TileInput& in, const TileOutput& out, size_t column) {
  in.taps == 1 ? run_tile_of<false>(rows, wide, in, out, column)
               : run_tile_of<true>(rows, wide, in, out, column);
}

// A tile of four columns, half a panel.
inline void run_half_tile(size_t rows, const TileInput& in, const TileOutput& out, size_t column) {
  switch (rows) {
    case 1:
      return tile<1, 1, true>(in, out, column);
    case 2:
      return tile<2, 1, true>(in, out, column);
    case 3:
      return tile<3, 1, true>(in, out, column);
    case 4:
      return tile<4, 1, true>(in, out, column);
  }
  if constexpr (kTileRows > 4) {
    rows == 5 ? tile<5, 1, true>(in, out, column) : tile<6, 1, true>(in, out, column);
  }
}

// Computes columns [column, end) of the last, incomplete panel: four of them directly, other numbers in a
// buffer, because the memory after them must not be touched. Up to four are half a panel; more are faster as
// a whole one than as two halves (5 channels at 32x32x32: 3.4 against 4.2 ms).
inline void run_edge_tile(size_t rows, const TileInput& in, const TileOutput& out, size_t column,
                          size_t end) {
  const size_t width = end - column;
  if (width == kLanes) return run_half_tile(rows, in, out, column);
  alignas(16) float sums[kTileRows][kPanelColumns] = {}, residuals[kTileRows][kPanelColumns] = {},
                    bias[kPanelColumns] = {};
  float* sum_rows[kTileRows];
  const float* residual_rows[kTileRows];
  for (size_t r = 0; r < rows; ++r) {
    sum_rows[r] = sums[r];
    residual_rows[r] = residuals[r];
    for (size_t j = 0; j < width; ++j) {
      if (out.accumulate) sums[r][j] = out.rows[r][column + j];
      if (out.residual != nullptr) residuals[r][j] = out.residual[r][column + j];
    }
  }
  TileOutput beside = out;
  beside.rows = sum_rows;
  if (out.residual != nullptr) beside.residual = residual_rows;
  if (out.bias != nullptr && !out.bias_per_row) {
    for (size_t j = 0; j < width; ++j) bias[j] = out.bias[column + j];
    beside.bias = bias;
  }
  width < kLanes ? run_half_tile(rows, in, beside, 0) : run_tile(rows, false, in, beside, 0);
  for (size_t r = 0; r < rows; ++r) {
    for (size_t j = 0; j < width; ++j) out.rows[r][column + j] = sums[r][j];
  }
}

// Computes the rows of one tile for all columns of a range that begins with a panel. in.b is its first panel.
inline void run_tile_columns(size_t rows, TileInput in, const TileOutput& out, const Range& columns) {
  const size_t panels = wide_panels(rows);
  size_t column = columns.begin;
  for (; panels > 1 && column + panels * kPanelColumns <= columns.end; column += panels * kPanelColumns) {
    run_tile(rows, true, in, out, column);
    in.b += panels * in.panel_stride;
  }
  for (; column + kPanelColumns <= columns.end; column += kPanelColumns) {
    run_tile(rows, false, in, out, column);
    in.b += in.panel_stride;
  }
  if (column < columns.end) run_edge_tile(rows, in, out, column, columns.end);
}

// The tile adds bias and residual at the start of the depth and clamps at its end.
inline void set_epilogue(const Epilogue& epilogue, bool first, bool last, TileOutput& out) {
  out.accumulate = !first;
  out.bias_per_row = epilogue.bias_per_row;
  out.clamp = last && epilogue.bounds.clamps();
  out.low = epilogue.bounds.low;
  out.high = epilogue.bounds.high;
}

inline void activate_rows(const Epilogue& epilogue, float* const* rows, size_t count, const Range& columns) {
  for (size_t r = 0; r < count; ++r) activate_stored(epilogue, rows[r] + columns.begin, columns.size());
}

// Splits `rows` rows into as few tiles as possible, of heights as equal as possible: 8 rows become 4 + 4
// rather than 6 + 2.
inline size_t tile_count(size_t rows) { return (rows + kTileRows - 1) / kTileRows; }
inline Range tile_range(size_t rows, size_t tiles, size_t t) {
  return {rows * t / tiles, rows * (t + 1) / tiles};
}

// The size of equal parts of at most `most`. All parts but the last are multiples of `multiple`.
inline size_t part_size(size_t total, size_t most, size_t multiple) {
  if (total <= most) return total;
  const size_t parts = (total + most - 1) / most;
  return ((total + parts - 1) / parts + multiple - 1) / multiple * multiple;
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
