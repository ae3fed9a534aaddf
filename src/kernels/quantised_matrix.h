// SPDX-License-Identifier: Apache-2.0
// Matmuls with weights of 2, 4, 8 or 16 bits. Weights are dequantised block by block into scratch memory,
// where the tile of gemm.h reads them. If there are only the rows of a single tile, the block is small and
// stays in the first-level cache.
//
// Weights are packed like B: in panels of 8 columns. A panel consists of cells of 4 rows of B each.
// A cell of 8-bit integers is two vectors. The 32-bit lane l of the first holds column l of the panel, that
// of the second holds column l + 4. Each byte of a lane is one row.
// A cell of 4-bit integers is one vector. Byte r of lane l holds row r: of column l in its low half, of
// column l + 4 in its high half.
// Shifts and masks thus extract vectors of 4 columns without a shuffle, both for floats and for the integer
// dot products of dynamic_gemm.h. Cells of 8-, 4- and 2-bit codes follow the same scheme.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/gemm.h"

namespace wasmvino::kernels {

// kSmallF16 is f16 of less than 128 in magnitude. All weights are, except those of a broken network. Packed
// exponents have a bias of 25 instead of 15, so that denormals, infinities and NaNs need no extra step.
// Codes represent rarer types (u2, nf4, f8): a table gives the value of each code. Codes and kF16 are
// converted one by one.
enum class WeightBits : uint8_t { kF16, kSmallF16, kBf16, kInt8, kInt4, kCode8, kCode4, kCode2 };

// Bits per element.
constexpr size_t width_of(WeightBits bits) {
  switch (bits) {
    case WeightBits::kCode2:
      return 2;
    case WeightBits::kInt4:
    case WeightBits::kCode4:
      return 4;
    case WeightBits::kInt8:
    case WeightBits::kCode8:
      return 8;
    default:
      return 16;
  }
}

// Whether `count` f16 elements may be packed as kSmallF16.
bool are_small_f16(const void* values, size_t count);

// B [k][n]: element (p, j) is (value - zero point) * scale * row_scales[p]. Integers are unsigned: signed
// ones have been shifted with their zero points (by 8 or 128). Floating point has no zero points.
struct QuantisedMatrix {
  WeightBits bits;
  size_t k, n;
  size_t group;        // rows of B that share a scale and a zero point; fastest if it is k or a multiple of 4
  const void* values;  // packed
  const float* scales;         // [panels][groups][8]; null for floating point types and codes without scales
  const uint8_t* zero_points;  // same layout as `scales`; null: zero_point for all
  float zero_point;
  const float* row_scales = nullptr;       // [k], or null
  const float* row_zero_points = nullptr;  // [k], or null: replaces the other zero points
  const float* table = nullptr;            // values of codes: 256, 16 or 4
};

// Bytes of packed B. The last rows and columns are padded with zeros.
size_t quantised_size(WeightBits bits, size_t k, size_t n);

// Packs element (p, j) for all p of `rows` and all j of `part`, which begins at a multiple of 8. Element
// (p, j) is element rows[p] + columns[j] of `values`. If elements are narrower than a byte, the first is in
// the low bits. `is_signed`: integers are signed and must be shifted.
void pack_quantised(WeightBits bits, bool is_signed, const void* values, std::span<const size_t> rows,
                    std::span<const size_t> columns, Range part, void* packed);

// Dequantises rows `depth` and `columns` of B to panels [depth.size() rounded up to 4][8] of f32; `depth`
// begins at a multiple of 4, `columns` at a multiple of 8.
void expand(const QuantisedMatrix& b, Range depth, Range columns, float* to);

// Computes rows x columns of C; `columns` begins at a multiple of 8. Ranges that do not overlap may run in
// parallel, each with its own scratch memory of block_scratch_size(m) floats.
void gemm(const Gemm& g, const QuantisedMatrix& b, float* scratch, Range rows, Range columns);

}  // namespace wasmvino::kernels
