// SPDX-License-Identifier: Apache-2.0
// C = epilogue(A B) where A is u8, B is s8, sums are exact i32 and C is u8 or f32: quantised convolutions and
// matmuls.
//
// The inner product has three forms. One is chosen per machine:
//   kPairs     products of i16, two per lane (i32x4.dot_i16x8_s), exact everywhere. A is widened to i16.
//   kUnsigned  relaxed dot of four bytes per lane, if the machine treats A as u8 (VNNI's vpdpbusd).
//   kSigned    the same, if the machine treats A as s8 (ARM's sdot): A is shifted by 128.
// WebAssembly defines relaxed dot for an A of 0..127 only. integer_dot() probes what the machine does with
// larger values; if sums saturate (pmaddubsw), it returns kPairs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/checked.h"
#include "kernels/gemm.h"

namespace wasmvino::kernels {

enum class IntegerDot : uint8_t { kPairs, kUnsigned, kSigned };

// The fastest form that is exact on this machine.
IntegerDot integer_dot();
// Whether this build has relaxed dot, exact or not.
bool has_relaxed_dot();
#if !defined(__wasm__)
// The form that native builds use. They have relaxed dot, computed element by element, for tests only.
inline IntegerDot native_integer_dot = IntegerDot::kPairs;
#endif

// Depths are padded to multiples of this.
inline constexpr size_t kIntegerStep = 4;
// Greater depths could overflow: 255 * 128 * depth must stay below 2^31.
inline constexpr size_t kMostIntegerDepth = 65'000;

// --- A -----------------------------------------------------------------------------------------------------

// Bytes of one packed row of A.
constexpr size_t integer_row_size(IntegerDot dot, size_t k) {
  const size_t depth = (k + kIntegerStep - 1) / kIntegerStep * kIntegerStep;
  return dot == IntegerDot::kPairs ? 2 * depth : depth;
}
// Whether rows of A can be read in place, without packing.
constexpr bool reads_rows_in_place(IntegerDot dot, size_t k) {
  return dot == IntegerDot::kUnsigned && k % kIntegerStep == 0;
}
// Whether matmuls of this depth multiply eight adjacent elements of a row at a time. Their rows have one
// part.
bool multiplies_eight(IntegerDot dot, size_t k);
// Packs `count` elements of a row and returns the end of what was written.
char* pack_integers(IntegerDot dot, const uint8_t* from, size_t count, char* to);
char* pack_repeated(IntegerDot dot, uint8_t value, size_t count, char* to);

// --- B -----------------------------------------------------------------------------------------------------

// Bytes of packed B [k][n]: panels of 8 columns, the last one padded with zeros.
constexpr size_t integer_weights_size(size_t k, size_t n) {
  return (CheckedSize(n).rounded_up(kPanelColumns) * CheckedSize(k).rounded_up(kIntegerStep)).value();
}
// Packs element (p, j) at b[p * k_stride + j * n_stride]. sums[j] becomes the sum of column j; it has n
// elements rounded up to 8.
void pack_integer_weights(IntegerDot dot, const int8_t* b, size_t k_stride, size_t n_stride, size_t k,
                          size_t n, int8_t* packed, int32_t* sums);

// --- C -----------------------------------------------------------------------------------------------------

struct IntegerGemm {
  IntegerDot dot;
  size_t k;
  const char* a;  // packed rows
  size_t a_stride;
  const int8_t* b;  // packed
  Epilogue epilogue;
  Output c;
  // Rows of A may consist of parts of equal size, with `skip` bytes between them. Their depth is then a
  // multiple of kIntegerStep.
  size_t parts = 1, skip = 0;
};

// Computes the first `rows` rows x `columns`. `columns` begins at a multiple of 8.
void gemm(const IntegerGemm& g, size_t rows, Range columns);

}  // namespace wasmvino::kernels
