// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm.h"

#include <algorithm>

#include "core/work.h"
#include "kernels/tile-inl.h"
#include "kernels/transpose.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

// From this number of rows on, packing pays even for a B that changes from call to call.
constexpr size_t kFewRows = 4;

// How a matmul is split: blocks of B with at most `elements` elements and `depth` rows are multiplied by
// `height` rows of A at a time.
struct Blocking {
  size_t depth, elements, height;
};

// A block of B, 256 KB, stays in L2 while all rows use it. Deep blocks let most sums stay in registers until
// they are complete. In Chromium, with a peak of 62 GFLOP/s, 1024x1024x1024 went from 57.4 (blocks with a
// depth of 256) to 60.2, and 128x384x1536 from 59.0 to 60.7. Blocks of 512 KB gained nothing more. Rows are
// processed 192 at a time. If k exceeds the depth of a block, their part of C is then still in L2 when the
// sums continue.
constexpr Blocking kWide = {1024, kGemmScratchSize, 192};
// For a B that is packed during the call or read in place: its rows are read 1 KB at a time.
constexpr Blocking kUnpacked = {256, kGemmScratchSize, 192};
// For a block that is dequantised for the rows of a single tile: it is read only once, from L1.
constexpr Blocking kNarrow = {256, 256 * 32, kTileRows};

// A range of the depth and of the columns, with that part of B.
struct Block {
  const float* b;
  size_t b_stride, panel_stride;
  Range depth, columns;
};

// Rows of A: `first` is the first row of a range, at the start of a block's depth.
struct Rows {
  const float* first;
  size_t row_stride, k_stride;
};

void run_rows(const Gemm& g, const Block& block, const Range& range, const Rows& rows) {
  const Epilogue& epilogue = g.epilogue;
  const bool last = block.depth.end == g.k;
  const float* a[kTileRows];
  float* c[kTileRows];
  const float* residual[kTileRows];
  const TileInput in = {
      a, 1, 0, block.depth.size(), rows.k_stride, block.b, block.b_stride, block.panel_stride};
  TileOutput out = {};
  out.rows = c;
  out.residual = epilogue.residual ? residual : nullptr;
  set_epilogue(epilogue, block.depth.begin == 0, last, out);
  const size_t tiles = tile_count(range.size());
  for (size_t t = 0; t < tiles; ++t) {
    const Range part = tile_range(range.size(), tiles, t);
    for (size_t r = 0; r < part.size(); ++r) {
      const size_t row = range.begin + part.begin + r;
      a[r] = rows.first + (part.begin + r) * rows.row_stride;
      c[r] = g.c + row * g.c_row_stride;
      if (out.residual != nullptr) residual[r] = epilogue.residual.from(row, 0).f32;
    }
    out.bias = epilogue.bias;
    if (out.bias != nullptr && out.bias_per_row) out.bias += range.begin + part.begin;
    run_tile_columns(part.size(), in, out, block.columns);
    count_work((block.depth.size() / kMultipliesPerStep + 1) * block.columns.size() * part.size());
    if (last) activate_rows(epilogue, c, part.size(), block.columns);
  }
}

// A transposed A is copied to row-major order on the stack, in whole cache lines if the depth is at most 256.
// Without the copy, a tile reads only 24 bytes of a line. If the stored rows of A have a power of two
// elements, the line is evicted before the next tile needs it: 1024x1024x1024 then reached half its speed.
constexpr size_t kTurnedRows = 48, kTurnedSize = kTurnedRows * 256;

HWY_NOINLINE void run_turned(const Gemm& g, const Block& block, const Range& range, const float* a) {
  alignas(64) float rows[kTurnedSize];
  const size_t depth = block.depth.size();
  const size_t most = std::clamp(kTurnedSize / depth / kTileRows * kTileRows, kTileRows, kTurnedRows);
  const size_t height = part_size(range.size(), most, kTileRows);
  for (size_t row = range.begin; row < range.end; row += height) {
    const Range part = {row, std::min(row + height, range.end)};
    transpose(a + (row - range.begin), g.a_k_stride, rows, depth, depth, part.size(), sizeof(float));
    run_rows(g, block, part, {rows, depth, 1});
  }
}

void run_block(const Gemm& g, const Block& block, const Range& range) {
  // With fewer columns, the copy does not pay: each panel reads A once, so a few panels read it in place.
  // Short rows are read in place too: 48x64x256, which fits in L1, would lose a fifth of its speed.
  constexpr size_t kColumns = 4 * kPanelColumns;
  const float* a = g.a + range.begin * g.a_row_stride + block.depth.begin * g.a_k_stride;
  const size_t depth = block.depth.size();
  if (g.a_k_stride > kTurnedRows && g.a_row_stride == 1 && block.columns.size() >= kColumns && depth > 0 &&
      depth <= kTurnedSize / kTileRows) {
    run_turned(g, block, range, a);
  } else {
    run_rows(g, block, range, {a, g.a_row_stride, g.a_k_stride});
  }
}

// Calls body(rows, columns, depth) for all parts of C and, within each part, for the parts of the depth in
// ascending order, because later parts continue the sums of earlier ones.
template <typename Body>
void for_blocks(size_t k, const Range& rows, const Range& columns, const Blocking& blocking,
                const Body& body) {
  const size_t depth = part_size(k, blocking.depth, 4);
  const size_t height = part_size(rows.size(), blocking.height, kTileRows);
  const size_t panel = std::max<size_t>(1, (depth + 3) / 4 * 4) * kPanelColumns;
  const size_t width = part_size(columns.size(), blocking.elements / panel * kPanelColumns, kPanelColumns);
  for (size_t column = columns.begin; column < columns.end; column += width) {
    const Range part = {column, std::min(column + width, columns.end)};
    for (size_t row = rows.begin; row < rows.end; row += height) {
      size_t p = 0;
      do {  // runs once even if k = 0, to store epilogue(0)
        const size_t next = std::min(p + depth, k);
        body(Range{row, std::min(row + height, rows.end)}, part, Range{p, next});
        p = next;
      } while (p < k);
    }
  }
}

}  // namespace

size_t gemm_tile_rows() { return kTileRows; }

void pack_b(const float* b, size_t k_stride, size_t n_stride, size_t k, size_t n, Range columns,
            float* packed) {
  packed += columns.begin * k;
  const size_t end = std::min(columns.end, n);
  for (size_t column = columns.begin; column < end; column += kPanelColumns) {
    count_work(2 * k);
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
  const auto multiply = [&](const Range& some, const Range& part, const Range& depth) {
    const float* b = packed_b + part.begin * g.k + depth.begin * kPanelColumns;
    run_block(g, {b, kPanelColumns, g.k * kPanelColumns, depth, part}, some);
  };
  for_blocks(g.k, rows, columns, kWide, multiply);
}

void gemm(const Gemm& g, const float* b, size_t k_stride, size_t n_stride, float* scratch, Range rows,
          Range columns) {
  if (rows.size() == 0) return;
  const bool in_place = n_stride == 1 && rows.size() < kFewRows;
  // Each block of B is packed once, for all rows.
  const auto multiply = [&](const Range&, const Range& part, const Range& depth) {
    const float* block = b + depth.begin * k_stride;
    const Range whole = {part.begin, in_place ? part.end / kPanelColumns * kPanelColumns : part.begin};
    if (whole.size() > 0) {
      run_block(g, {block + whole.begin, k_stride, kPanelColumns, depth, whole}, rows);
    }
    const Range rest = {whole.end, part.end};
    if (rest.size() > 0) {
      pack_b(block + rest.begin * n_stride, k_stride, n_stride, depth.size(), rest.size(), {0, rest.size()},
             scratch);
      run_block(g, {scratch, kPanelColumns, depth.size() * kPanelColumns, depth, rest}, rows);
    }
  };
  for_blocks(g.k, rows, columns, {kUnpacked.depth, kUnpacked.elements, rows.size()}, multiply);
}

void gemm(const Gemm& g, const BlockSource& b, float* scratch, Range rows, Range columns) {
  if (rows.size() == 0) return;
  const auto multiply = [&](const Range&, const Range& part, const Range& depth) {
    b.make(b.context, depth, part, scratch);
    const size_t panel = (depth.size() + 3) / 4 * 4 * kPanelColumns;
    run_block(g, {scratch, kPanelColumns, panel, depth, part}, rows);
  };
  const Blocking& blocking = rows.size() <= kTileRows ? kNarrow : kWide;
  for_blocks(g.k, rows, columns, {blocking.depth, blocking.elements, rows.size()}, multiply);
}

size_t block_scratch_size(size_t rows) { return (rows <= kTileRows ? kNarrow : kWide).elements; }

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
