// SPDX-License-Identifier: Apache-2.0
// Reductions in f32 along a contiguous axis or across rows. There are 16 partial sums, added up in double
// every 1024 elements. The error does not grow with the length, and four additions are in flight.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wasmvino::kernels {

enum class Reduction : uint8_t { kSum, kProduct, kMaximum, kMinimum, kSumOfMagnitudes, kSumOfSquares };

// The reduction of x[0 .. n). An empty row gives 0, 1, -inf, inf, 0, 0 (in the order of Reduction). NaN
// propagates.
float reduce_row(Reduction op, const float* x, size_t n);

// y[i] = the reduction of x[i * n .. (i + 1) * n), for i < rows and short rows.
void reduce_short_rows(Reduction op, const float* x, size_t rows, size_t n, float* y);

// y[j] = the reduction over i < rows of x[i * stride + j], for j < width.
void reduce_columns(Reduction op, const float* x, size_t rows, size_t stride, size_t width, float* y);

// The index of the first greatest (or smallest) element; n > 0. A NaN is chosen only if all elements are NaN.
size_t arg_maximum(const float* x, size_t n);
size_t arg_minimum(const float* x, size_t n);

}  // namespace wasmvino::kernels
