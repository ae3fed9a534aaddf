// SPDX-License-Identifier: Apache-2.0
// Products with weights that stay in 4, 8 or 16 bits: they are expanded block by block into scratch, where
// the tile of gemm.h meets them. For the rows of a single tile the block is small and stays in the
// first-level cache.
//
// The packed form is that of packed B, panels of 8 columns, in cells of 4 rows of B each: a cell of 4-bit
// integers is one vector, whose 32-bit lane l holds column l of the panel in its low half and column l + 4 in
// its high half, a row a nibble; one of 8-bit integers is two vectors, whose lane l holds column l (l + 4 in
// the second), a row a byte. Shifts and masks then bring out vectors of 4 columns without a shuffle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/gemm.h"

namespace wasmvino::kernels {

enum class WeightBits : uint8_t { kF16, kBf16, kInt8, kInt4 };

// B [k][n]: element (p, j) is (value - zero point) * scale. Integers are unsigned: signed ones have been
// shifted with their zero points (by 8 or 128). Floating point has no zero points.
struct CompressedMatrix {
  WeightBits bits;
  size_t k, n;
  size_t group;                // rows of B that share a scale and a zero point: k, or a multiple of 4
  const void* values;          // packed
  const float* scales;         // [panels][groups][8]; null for floating point without
  const uint8_t* zero_points;  // alike; null: zero_point for all
  float zero_point;
};

// Bytes of B packed, the last rows and columns filled up with zeros.
size_t compressed_size(WeightBits bits, size_t k, size_t n);

// Packs element (p, j), which is element rows[p] + j * n_stride of `values` (4-bit ones lie low nibble
// first), for all p of `rows`; `columns` begins at a multiple of 8. `is_signed`: the integers are, and are
// shifted.
void pack_compressed(WeightBits bits, bool is_signed, const void* values, std::span<const size_t> rows,
                     size_t n_stride, size_t n, Range columns, void* packed);

// Expands rows `depth` and `columns` of B to panels [depth.size() rounded up to 4][8] of f32; `depth` begins
// at a multiple of 4, `columns` at a multiple of 8.
void expand(const CompressedMatrix& b, Range depth, Range columns, float* to);

// Computes rows x columns of C; `columns` begins at a multiple of 8. Ranges that do not overlap may run in
// parallel, each with scratch of its own, of block_scratch_size(m) floats.
void gemm(const Gemm& g, const CompressedMatrix& b, float* scratch, Range rows, Range columns);

}  // namespace wasmvino::kernels
