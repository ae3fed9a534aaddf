// SPDX-License-Identifier: Apache-2.0
// Normalisation of rows and the statistics it needs.
#pragma once

#include <cstddef>

namespace wasmvino::kernels {

struct Moments {
  float mean, variance;  // population variance: divided by n
};

// Two passes: the sum, then the squares of the differences, which avoids cancellation.
Moments moments(const float* x, size_t n);

// y[i] = (x[i] - mean) * scale * gamma[i] + beta[i]; gamma and beta may be null. y may be x.
void normalize_row(const float* x, float* y, size_t n, float mean, float scale, const float* gamma,
                   const float* beta);

// Layer norm of one row: (x - mean) / sqrt(variance + epsilon) * gamma + beta.
void layer_norm_row(const float* x, float* y, size_t n, float epsilon, const float* gamma, const float* beta);

// x / sqrt(mean(x^2) + epsilon) * gamma + beta
void rms_norm_row(const float* x, float* y, size_t n, float epsilon, const float* gamma, const float* beta);

}  // namespace wasmvino::kernels
