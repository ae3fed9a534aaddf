// SPDX-License-Identifier: Apache-2.0
// C = epilogue(A B) where B is weights of 4 or 8 bits (compressed.h) and rows of A are quantised to i8 while
// they run, in groups that share a scale, the largest magnitude / 127. OpenVINO calls it dynamic
// quantisation.
//
// Integers of a group are multiplied and summed in i32, which is exact: zero points enter by the sums of A's
// integers. Then the sum is multiplied by the scales of both and added in f32, group by group, with a
// rounding for each operation. Results before the activation are therefore the same bits in all builds.
//
// IntegerDot says how integers are multiplied (integer_gemm.h). Here B is the operand that it calls A: u8.
// Where the machine takes it as s8, weights of 8 bits are shifted by 128 on the way.
#pragma once

#include "kernels/compressed.h"
#include "kernels/integer_gemm.h"

namespace wasmvino::kernels {

// Depths are multiples of this.
inline constexpr size_t kDynamicDepth = 8;

struct RowQuantization {
  IntegerDot dot;
  size_t k;
  size_t group;  // elements of a row that share a scale, a multiple of kDynamicDepth; the last may be shorter

  size_t groups() const { return (k + group - 1) / group; }
};

// Rows of A quantised.
struct QuantisedRows {
  char* values;   // [m][integer_row_size(dot, k)]
  float* scales;  // [m][groups]
  int32_t* sums;  // alike: of the integers, negated
};

// A group with infinities or NaNs makes all of its row's results NaN; one of magnitudes below 2^-119 is zero.
void quantise_rows(const RowQuantization& q, const float* a, size_t a_row_stride, Range rows,
                   const QuantisedRows& to);

struct DynamicGemm {
  RowQuantization quantization;
  QuantisedRows a;
  float* c;  // [m][c_row_stride]
  size_t c_row_stride;
  Epilogue epilogue;
};

// Computes rows x columns of C. `columns` begins at a multiple of 8. B is of kInt4 or kInt8 and has scales.
// Its groups are multiples of A's, or whole columns. Ranges that do not overlap may run in parallel.
void dynamic_gemm(const DynamicGemm& g, const CompressedMatrix& b, Range rows, Range columns);

}  // namespace wasmvino::kernels
