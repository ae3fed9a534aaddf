// SPDX-License-Identifier: Apache-2.0
// Weighted sums of rows, for example bilinear interpolation of all channels of a pixel at once.
#pragma once

#include <cstddef>

namespace wasmvino::kernels {

// Four rows and their weights. Rows of weight 0 are read too: they must be readable and finite.
struct Corners {
  const float* rows[4];
  float weights[4];
};

// y[i] = sum of corners.weights[k] * corners.rows[k][i] for i < n.
void blend(const Corners& corners, float* y, size_t n);

}  // namespace wasmvino::kernels
