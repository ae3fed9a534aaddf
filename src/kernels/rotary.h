// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding of a row. https://arxiv.org/abs/2104.09864
#pragma once

#include <cstddef>

namespace wasmvino::kernels {

// Factors of a row: one for each element, or the same for all.
struct RowFactors {
  const float* values;
  bool same;
};

// Rotates each pair (x[i], x[i + n / 2]), where n is even:
//   y[i] = x[i] * cos[i] - x[i + n / 2] * sin[i]
//   y[i + n / 2] = x[i + n / 2] * cos[i + n / 2] + x[i] * sin[i + n / 2]
// Products are rounded before they are added, so all builds give the same result. y may be x.
void rotate_row(const float* x, RowFactors cos, RowFactors sin, float* y, size_t n);

}  // namespace wasmvino::kernels
