// SPDX-License-Identifier: Apache-2.0
// C = epilogue(A B) in f32. A and C are read and written in place; B is packed once (weights) or block
// by block into scratch (activations), or read in place where that is faster.
//
// The tile is 8 columns wide and 6 rows high with relaxed SIMD, 4 rows without. In GFLOP/s in L1 (k = 256),
// Node.js 20 / Chromium 156 on a 3.9 GHz Xeon (peak 62 relaxed, 44 plain): relaxed 4x8 53 / 52, 5x8 59 / 60,
// 6x8 62 / 62, 3x12 61 / 56, 4x12 44 / 53; plain 4x8 41 / 43, 6x8 43 / 42. Eight accumulators just cover
// latency times throughput of a multiply-add (4 cycles, 2 ports); twelve leave slack. With separate
// multiplications and additions, six rows need a 16th register, which V8 reserves. In other measurements,
// that tile ran at half its speed.
#pragma once

#include <cstddef>

#include "core/checked.h"
#include "kernels/epilogue.h"

namespace wasmvino::kernels {

struct Range {
  size_t begin, end;
  size_t size() const { return end - begin; }
};

struct Gemm {
  size_t m, n, k;
  const float* a;  // element (i, p) at i * a_row_stride + p * a_k_stride: transposed A needs no copy
  size_t a_row_stride;
  size_t a_k_stride = 1;
  float* c;  // [m][c_row_stride]
  size_t c_row_stride;
  Epilogue epilogue;
};

inline constexpr size_t kPanelColumns = 8;

// Maximum rows per tile. Ranges of rows are best split at multiples of it.
size_t gemm_tile_rows();

// Size of packed B [k][n] in floats: panels of 8 columns, each [k][8], the last one padded with zeros.
constexpr size_t packed_b_size(size_t k, size_t n) {
  return (CheckedSize(n).rounded_up(kPanelColumns) * k).value();
}

// Packs element (p, j) at b[p * k_stride + j * n_stride]; `columns` begins at a multiple of 8.
void pack_b(const float* b, size_t k_stride, size_t n_stride, size_t k, size_t n, Range columns,
            float* packed);

// Computes rows x columns of C; `columns` begins at a multiple of 8. Ranges that do not overlap may run in
// parallel.
void gemm(const Gemm& g, const float* packed_b, Range rows, Range columns);

// The same for a B that changes from call to call: element (p, j) is b[p * k_stride + j * n_stride]. Each
// thread provides its own scratch memory of kGemmScratchSize floats.
inline constexpr size_t kGemmScratchSize = 256 * 256;
void gemm(const Gemm& g, const float* b, size_t k_stride, size_t n_stride, float* scratch, Range rows,
          Range columns);

// The same for a B whose blocks are computed on demand: make() writes rows `depth` and columns `columns` as
// panels [depth.size() rounded up to 4][8]. `depth` begins at a multiple of 4, `columns` at a multiple of 8.
struct BlockSource {
  void (*make)(const void* context, const Range& depth, const Range& columns, float* to);
  const void* context;
};
void gemm(const Gemm& g, const BlockSource& b, float* scratch, Range rows, Range columns);

// Floats of scratch memory that this function needs for up to `rows` rows.
size_t block_scratch_size(size_t rows);

}  // namespace wasmvino::kernels
