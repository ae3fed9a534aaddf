// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>

#include "kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

constexpr size_t kTileRows = kFusedMulAdd ? 6 : 4;
// Rows from which B is worth packing when it changes from call to call.
constexpr size_t kFewRows = 4;

// Depth and width of a block of B that stays in the second-level cache while all rows pass.
constexpr size_t kMaxDepth = 256;
constexpr size_t kMaxWidth = kGemmScratchSize / kMaxDepth;

struct Strides {
  size_t a_row, a_k, b_k, b_panel, c_row, residual_row;
};

// Where the sums begin. With `accumulate`, C holds those over earlier blocks of k, and nothing else is added.
struct Start {
  const float* bias;  // a value a column, or one a row; null for none
  const float* residual;
  bool bias_per_row;
  bool accumulate;
};

struct End {
  bool clamp;
  float low, high;
};

// kRows x (8 kPanels) of C over k steps.
template <size_t kRows, size_t kPanels = 1>
HWY_NOINLINE void tile(const float* a, const float* b, float* c, size_t k, const Strides& strides,
                       const Start& start, const End& end) {
  constexpr size_t kVectors = 2 * kPanels;
  VF sum[kRows][kVectors];
  if (start.accumulate) {
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) {
      HWY_UNROLL(8)
      for (size_t v = 0; v < kVectors; ++v) sum[r][v] = load(c + r * strides.c_row + v * kLanes);
    }
  } else {
    HWY_UNROLL(8)
    for (size_t v = 0; v < kVectors; ++v) {
      const bool columns = start.bias != nullptr && !start.bias_per_row;
      const VF bias = columns ? load(start.bias + v * kLanes) : zero();
      HWY_UNROLL(8)
      for (size_t r = 0; r < kRows; ++r) sum[r][v] = bias;
    }
    if (start.bias_per_row) {
      HWY_UNROLL(8)
      for (size_t r = 0; r < kRows; ++r) {
        HWY_UNROLL(8)
        for (size_t v = 0; v < kVectors; ++v) sum[r][v] = load_splat(start.bias + r);
      }
    }
    if (start.residual != nullptr) {
      HWY_UNROLL(8)
      for (size_t r = 0; r < kRows; ++r) {
        HWY_UNROLL(8)
        for (size_t v = 0; v < kVectors; ++v) {
          sum[r][v] = hn::Add(sum[r][v], load(start.residual + r * strides.residual_row + v * kLanes));
        }
      }
    }
  }

  const float* rows[kRows];
  HWY_UNROLL(8)
  for (size_t r = 0; r < kRows; ++r) rows[r] = a + r * strides.a_row;
  const float* panels[kPanels];
  HWY_UNROLL(8)
  for (size_t p = 0; p < kPanels; ++p) panels[p] = b + p * strides.b_panel;
  const size_t a_k = strides.a_k, b_k = strides.b_k;
  // Not unrolled: LLVM would gather the loads of several steps at the top, and V8 spill them (62 became 36
  // GFLOP/s).
  HWY_UNROLL(1)
  for (; k > 0; --k) {
    if constexpr (kPanels == 1) {
      const VF b0 = load(panels[0]), b1 = load(panels[0] + kLanes);
      panels[0] += b_k;
      HWY_UNROLL(8)
      for (size_t r = 0; r < kRows; ++r) {
        const VF x = load_splat(rows[r]);
        rows[r] += a_k;
        sum[r][0] = mul_add(x, b0, sum[r][0]);
        sum[r][1] = mul_add(x, b1, sum[r][1]);
      }
    } else {
      VF x[kRows];
      HWY_UNROLL(8)
      for (size_t r = 0; r < kRows; ++r) {
        x[r] = load_splat(rows[r]);
        rows[r] += a_k;
      }
      HWY_UNROLL(8)
      for (size_t p = 0; p < kPanels; ++p) {
        const VF b0 = load(panels[p]), b1 = load(panels[p] + kLanes);
        panels[p] += b_k;
        HWY_UNROLL(8)
        for (size_t r = 0; r < kRows; ++r) {
          sum[r][2 * p] = mul_add(x[r], b0, sum[r][2 * p]);
          sum[r][2 * p + 1] = mul_add(x[r], b1, sum[r][2 * p + 1]);
        }
      }
    }
  }

  if (end.clamp) {
    const VF low = set(end.low), high = set(end.high);
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) {
      HWY_UNROLL(8)
      for (size_t v = 0; v < kVectors; ++v) sum[r][v] = clamp(sum[r][v], low, high);
    }
  }
  HWY_UNROLL(8)
  for (size_t r = 0; r < kRows; ++r) {
    HWY_UNROLL(8)
    for (size_t v = 0; v < kVectors; ++v) store(sum[r][v], c + r * strides.c_row + v * kLanes);
  }
}

using TileFunction = decltype(&tile<1>);
constexpr TileFunction kTiles[] = {nullptr, tile<1>, tile<2>, tile<3>, tile<4>,
#if defined(__wasm_relaxed_simd__) || HWY_NATIVE_FMA
                                   tile<5>, tile<6>
#endif
};
static_assert(std::size(kTiles) == kTileRows + 1);

// Panels that a tile of few rows takes at once, to have eight sums in flight.
constexpr size_t wide_panels(size_t rows) { return rows == 1 ? 4 : rows == 2 ? 2 : 1; }
TileFunction wide_tile(size_t rows) { return rows == 1 ? tile<1, 4> : rows == 2 ? tile<2, 2> : tile<3>; }

// One block of k: rows x columns of C from a block of B whose first panel holds columns.begin.
struct Block {
  const Gemm* gemm;
  const float* b;
  size_t b_k, b_panel;
  Range depth, columns;
  End end;
};

// A tile whose last columns lie outside C: computed beside it.
void edge_tile(TileFunction function, size_t rows, size_t columns, const float* a, const float* b, float* c,
               size_t k, Strides strides, Start start, const End& end) {
  alignas(16) float sums[kTileRows * kPanelColumns] = {}, bias[kPanelColumns] = {},
                                     residual[kTileRows * kPanelColumns] = {};
  const size_t bytes = columns * sizeof(float);
  for (size_t r = 0; r < rows; ++r) {
    if (start.accumulate) std::memcpy(sums + r * kPanelColumns, c + r * strides.c_row, bytes);
    if (start.residual != nullptr) {
      std::memcpy(residual + r * kPanelColumns, start.residual + r * strides.residual_row, bytes);
    }
  }
  if (start.residual != nullptr) start.residual = residual;
  if (start.bias != nullptr && !start.bias_per_row) {
    std::memcpy(bias, start.bias, bytes);
    start.bias = bias;
  }
  const size_t c_row = strides.c_row;
  strides.c_row = strides.residual_row = kPanelColumns;
  function(a, b, sums, k, strides, start, end);
  for (size_t r = 0; r < rows; ++r) std::memcpy(c + r * c_row, sums + r * kPanelColumns, bytes);
}

void run_rows(const Block& block, size_t row, size_t rows) {
  const Gemm& g = *block.gemm;
  const Epilogue& epilogue = g.epilogue;
  const Strides strides = {g.a_row_stride, g.a_k_stride,   block.b_k,
                           block.b_panel,  g.c_row_stride, epilogue.residual_stride};
  Start start = {nullptr, nullptr, epilogue.bias_per_row && epilogue.bias != nullptr, block.depth.begin > 0};
  const float* a = g.a + row * g.a_row_stride + block.depth.begin * g.a_k_stride;
  const float* b = block.b;
  const size_t wide = rows < kFewRows ? wide_panels(rows) : 1;
  for (size_t column = block.columns.begin; column < block.columns.end;) {
    const size_t left = block.columns.end - column;
    if (epilogue.bias != nullptr) start.bias = epilogue.bias + (epilogue.bias_per_row ? row : column);
    if (epilogue.residual != nullptr)
      start.residual = epilogue.residual + row * epilogue.residual_stride + column;
    float* c = g.c + row * g.c_row_stride + column;
    const size_t k = block.depth.size();
    if (left >= wide * kPanelColumns) {
      (wide > 1 ? wide_tile(rows) : kTiles[rows])(a, b, c, k, strides, start, block.end);
      column += wide * kPanelColumns;
      b += wide * block.b_panel;
    } else if (left >= kPanelColumns) {
      kTiles[rows](a, b, c, k, strides, start, block.end);
      column += kPanelColumns;
      b += block.b_panel;
    } else {
      edge_tile(kTiles[rows], rows, left, a, b, c, k, strides, start, block.end);
      column += left;
    }
  }
}

// The activation, where it is no clamp: on what has just been stored and still is in the first-level cache.
void activate(const Gemm& g, size_t row, size_t rows, const Range& columns) {
  for (size_t r = row; r < row + rows; ++r) {
    float* c = g.c + r * g.c_row_stride + columns.begin;
    apply_unary(g.epilogue.activation, c, c, columns.size());
  }
}

void run_block(const Block& block, const Range& rows) {
  const Unary kind = block.gemm->epilogue.activation.kind;
  const bool last = block.depth.end == block.gemm->k;
  const bool separate = last && kind != Unary::kIdentity && !block.end.clamp;
  // As few tiles as possible, of heights as equal as possible: 8 rows are 4 + 4 rather than 6 + 2.
  const size_t tiles = (rows.size() + kTileRows - 1) / kTileRows;
  for (size_t t = 0; t < tiles; ++t) {
    const size_t row = rows.begin + rows.size() * t / tiles;
    const size_t next = rows.begin + rows.size() * (t + 1) / tiles;
    run_rows(block, row, next - row);
    if (separate) activate(*block.gemm, row, next - row, block.columns);
  }
}

End end_of(const Gemm& g, const Range& depth) {
  const UnaryFunction& f = g.epilogue.activation;
  if (depth.end < g.k) return {false, 0.0f, 0.0f};
  if (f.kind == Unary::kRelu) return {true, 0.0f, std::numeric_limits<float>::infinity()};
  if (f.kind == Unary::kClamp) return {true, f.alpha, f.beta};
  return {false, 0.0f, 0.0f};
}

// Equal parts of at most `most`, multiples of `multiple` but for the last.
size_t part_size(size_t total, size_t most, size_t multiple) {
  if (total <= most) return total;
  const size_t parts = (total + most - 1) / most;
  return ((total + parts - 1) / parts + multiple - 1) / multiple * multiple;
}

// Calls body(depth, columns) for the blocks of B in the order that keeps sums right: k inside columns.
template <typename Body>
void for_blocks(size_t k, const Range& columns, const Body& body) {
  const size_t width = part_size(columns.size(), kMaxWidth, kPanelColumns);
  const size_t depth = part_size(k, kMaxDepth, 4);
  for (size_t column = columns.begin; column < columns.end; column += width) {
    const Range part = {column, std::min(column + width, columns.end)};
    size_t p = 0;
    do {  // once for k = 0, which stores the epilogue of zeros
      const size_t next = std::min(p + depth, k);
      body(Range{p, next}, part);
      p = next;
    } while (p < k);
  }
}

}  // namespace

size_t gemm_tile_rows() { return kTileRows; }

void pack_b(const float* b, size_t k_stride, size_t n_stride, size_t k, size_t n, Range columns,
            float* packed) {
  packed += columns.begin * k;
  const size_t end = std::min(columns.end, n);
  for (size_t column = columns.begin; column < end; column += kPanelColumns) {
    const float* source = b + column * n_stride;
    const size_t width = std::min(kPanelColumns, end - column);
    if (width == kPanelColumns && n_stride == 1) {
      for (size_t p = 0; p < k; ++p, source += k_stride, packed += kPanelColumns) {
        store(load(source), packed);
        store(load(source + kLanes), packed + kLanes);
      }
    } else if (width == kPanelColumns && k_stride == 1) {
      size_t p = 0;
      for (; p + kLanes <= k; p += kLanes, packed += kLanes * kPanelColumns) {
        HWY_UNROLL(2)
        for (size_t half = 0; half < 2; ++half) {
          const float* s = source + p + half * kLanes * n_stride;
          VF v[kLanes] = {load(s), load(s + n_stride), load(s + 2 * n_stride), load(s + 3 * n_stride)};
          transpose_4x4(v);
          HWY_UNROLL(4)
          for (size_t i = 0; i < kLanes; ++i) store(v[i], packed + i * kPanelColumns + half * kLanes);
        }
      }
      for (; p < k; ++p, packed += kPanelColumns) {
        for (size_t j = 0; j < kPanelColumns; ++j) packed[j] = source[p + j * n_stride];
      }
    } else {
      for (size_t p = 0; p < k; ++p, packed += kPanelColumns) {
        for (size_t j = 0; j < width; ++j) packed[j] = source[p * k_stride + j * n_stride];
        for (size_t j = width; j < kPanelColumns; ++j) packed[j] = 0.0f;
      }
    }
  }
}

void gemm(const Gemm& g, const float* packed_b, Range rows, Range columns) {
  if (rows.size() == 0) return;
  for_blocks(g.k, columns, [&](const Range& depth, const Range& part) {
    const float* b = packed_b + part.begin * g.k + depth.begin * kPanelColumns;
    run_block({&g, b, kPanelColumns, g.k * kPanelColumns, depth, part, end_of(g, depth)}, rows);
  });
}

void gemm(const Gemm& g, const float* b, size_t k_stride, size_t n_stride, float* scratch, Range rows,
          Range columns) {
  if (rows.size() == 0) return;
  const bool in_place = n_stride == 1 && rows.size() < kFewRows;
  for_blocks(g.k, columns, [&](const Range& depth, const Range& part) {
    const float* block = b + depth.begin * k_stride;
    const Range whole = {part.begin, in_place ? part.end / kPanelColumns * kPanelColumns : part.begin};
    if (whole.size() > 0) {
      run_block({&g, block + whole.begin, k_stride, kPanelColumns, depth, whole, end_of(g, depth)}, rows);
    }
    const Range rest = {whole.end, part.end};
    if (rest.size() > 0) {
      pack_b(block + rest.begin * n_stride, k_stride, n_stride, depth.size(), rest.size(), {0, rest.size()},
             scratch);
      run_block({&g, scratch, kPanelColumns, depth.size() * kPanelColumns, depth, rest, end_of(g, depth)},
                rows);
    }
  });
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
