// SPDX-License-Identifier: Apache-2.0
// Statistics per column, updated with one row at a time. Normalisation along an outer axis uses them. Sums
// are f64, so that their error does not grow with the number of rows.
#pragma once

#include <cstddef>

namespace wasmvino::kernels {

// sums[j] += x[j] for j < n.
void add_columns(const float* x, size_t n, double* sums);

// sums[j] += (x[j] - means[j])^2 for j < n. `means` may be null, which stands for zeros.
void add_square_columns(const float* x, const double* means, size_t n, double* sums);

// y[j] = (x[j] - means[j]) * scales[j] for j < n. `means` may be null, which stands for zeros. y may be x.
void scale_columns(const float* x, const float* means, const float* scales, float* y, size_t n);

}  // namespace wasmvino::kernels
