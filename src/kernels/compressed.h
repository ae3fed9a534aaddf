// SPDX-License-Identifier: Apache-2.0
// Products with weights that stay in 2, 4, 8 or 16 bits: they are expanded block by block into scratch, where
// the tile of gemm.h meets them. For the rows of a single tile the block is small and stays in the
// first-level cache.
//
// The packed form is that of packed B, panels of 8 columns, in cells of 4 rows of B each: a cell of 8-bit
// integers is two vectors, whose 32-bit lane l holds column l of the panel (l + 4 in the second), a row a
// byte. One of 4-bit integers is one vector: byte r of lane l holds row r of column l in its low half and
// that of column l + 4 in its high half. Shifts and masks then bring out vectors of 4 columns without a
// shuffle, for floats as well as for the integer dot products of dynamic_gemm.h. Cells of codes of 8, 4 and 2
// bits are alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/gemm.h"

namespace wasmvino::kernels {

// kSmallF16 is f16 of less than 128 in magnitude, as all weights are but those of a broken network: packed,
// its exponents have a bias of 25 instead of 15, so that denormals, infinities and NaNs need no step of their
// own. Codes are those of rarer types (u2, nf4, f8): a table says what each stands for. They and kF16 are
// expanded one by one.
enum class WeightBits : uint8_t { kF16, kSmallF16, kBf16, kInt8, kInt4, kCode8, kCode4, kCode2 };

// Bits of an element.
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

// Whether `count` elements of f16 may be packed as kSmallF16.
bool are_small_halves(const void* values, size_t count);

// B [k][n]: element (p, j) is (value - zero point) * scale * row_scales[p]. Integers are unsigned: signed
// ones have been shifted with their zero points (by 8 or 128). Floating point has no zero points.
struct CompressedMatrix {
  WeightBits bits;
  size_t k, n;
  size_t group;         // rows of B that share a scale and a zero point; multiples of 4 and k are faster
  const void* values;   // packed
  const float* scales;  // [panels][groups][8]; null for floating point and codes without
  const uint8_t* zero_points;  // alike; null: zero_point for all
  float zero_point;
  const float* row_scales = nullptr;       // [k], or null
  const float* row_zero_points = nullptr;  // [k], or null: in the place of the others
  const float* table = nullptr;            // of codes: 256, 16 or 4 values
};

// Bytes of B packed, the last rows and columns filled up with zeros.
size_t compressed_size(WeightBits bits, size_t k, size_t n);

// Packs element (p, j), which is element rows[p] + columns[j] of `values` (of those narrower than a byte, the
// first lies in the low bits), for all p of `rows` and the j of `part`, which begins at a multiple of 8.
// `is_signed`: integers are, and are shifted.
void pack_compressed(WeightBits bits, bool is_signed, const void* values, std::span<const size_t> rows,
                     std::span<const size_t> columns, Range part, void* packed);

// Expands rows `depth` and `columns` of B to panels [depth.size() rounded up to 4][8] of f32; `depth` begins
// at a multiple of 4, `columns` at a multiple of 8.
void expand(const CompressedMatrix& b, Range depth, Range columns, float* to);

// Computes rows x columns of C; `columns` begins at a multiple of 8. Ranges that do not overlap may run in
// parallel, each with scratch of its own, of block_scratch_size(m) floats.
void gemm(const Gemm& g, const CompressedMatrix& b, float* scratch, Range rows, Range columns);

}  // namespace wasmvino::kernels
