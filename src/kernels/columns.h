// SPDX-License-Identifier: Apache-2.0
// Statistics down the columns of rows that come one at a time: what normalising along an outer axis does.
// Sums are f64, so that their error does not grow with the number of rows.
#pragma once

#include <cstddef>

namespace wasmvino::kernels {

// sums[j] += x[j], for j < n.
void add_columns(const float* x, size_t n, double* sums);

// sums[j] += (x[j] - means[j])^2; means may be null: none are subtracted.
void add_square_columns(const float* x, const double* means, size_t n, double* sums);

// y[j] = (x[j] - means[j]) * scales[j]; means may be null. y may be x.
void scale_columns(const float* x, const float* means, const float* scales, float* y, size_t n);

}  // namespace wasmvino::kernels
