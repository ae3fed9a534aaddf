// SPDX-License-Identifier: Apache-2.0
// C = epilogue(A B) where B has 4-bit or 8-bit weights (quantised_matrix.h). Rows of A are quantised to i8
// during the run, in groups that share a scale: the largest magnitude / 127. OpenVINO calls this dynamic
// quantisation.
//
// The integers of a group are multiplied and summed in i32, which is exact. The sums of A's integers account
// for the zero points. The sum of a group is then multiplied by both scales and added to the result in f32,
// with one rounding per operation. Results before the activation are therefore bit-identical in all builds.
//
// IntegerDot selects how integers are multiplied (integer_gemm.h). Here B is the u8 operand, which
// integer_gemm.h calls A. If the machine treats that operand as s8, 8-bit weights are shifted by 128 when
// they are loaded.
#pragma once

#include "kernels/integer_gemm.h"
#include "kernels/quantised_matrix.h"

namespace wasmvino::kernels {

// Depths must be multiples of this number.
inline constexpr size_t kDynamicDepth = 8;
// The most elements of a group: the sum of their integers has two digits of 7 and 16 bits.
inline constexpr size_t kMostDynamicGroup = 33024;

struct RowQuantization {
  IntegerDot dot;
  size_t k;
  size_t group;  // elements of a row that share a scale, a multiple of kDynamicDepth; the last may be shorter

  size_t groups() const { return (k + group - 1) / group; }
};

// Quantised rows of A.
struct QuantisedRows {
  char* values;   // [m][integer_row_size(dot, k)]
  float* scales;  // [m][groups]
  int32_t* sums;  // [m][groups]: negated sums of the integers, as two digits
};

// A group with infinities or NaN makes all results of its row NaN. A group whose magnitudes are all below
// 2^-119 becomes zero.
void quantise_rows(const RowQuantization& q, const float* a, size_t a_row_stride, Range rows,
                   const QuantisedRows& to);

struct DynamicGemm {
  RowQuantization quantization;
  QuantisedRows a;
  float* c;  // [m][c_row_stride]
  size_t c_row_stride;
  Epilogue epilogue;
};

// Computes rows x columns of C. `columns` begins at a multiple of 8. B must be kInt4 or kInt8 with scales.
// Its groups are multiples of A's groups, or whole columns. Ranges that do not overlap may run in parallel.
void dynamic_gemm(const DynamicGemm& g, const QuantisedMatrix& b, Range rows, Range columns);

}  // namespace wasmvino::kernels
