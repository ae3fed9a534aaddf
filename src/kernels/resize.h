// SPDX-License-Identifier: Apache-2.0
// Weighted sums along one axis of an array, for either memory layout. Resizing applies them to each axis.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wasmvino::kernels {

// Across rows: y[j] = sum over k < taps of weights[k] * rows[k][j], for j < n. y must not overlap a row.
void combine_rows(const float* const* rows, const float* weights, size_t taps, float* y, size_t n);

// Along a row: y[i] = sum over k < taps of weights[i * taps + k] * x[first[i] + k], for i < n. Reads no other
// elements of x. y must not overlap x.
void combine_windows(const float* x, const int32_t* first, const float* weights, size_t taps, float* y,
                     size_t n);

// Along a row of `size` pixels with 2 .. 4 interleaved channels. Pixel i of y is the sum over k < taps of
// weights[i * taps + k] times pixel first[i] + k of x, for i < n. y must not overlap x.
void combine_pixels(const float* x, size_t size, size_t channels, const int32_t* first, const float* weights,
                    size_t taps, float* y, size_t n);

}  // namespace wasmvino::kernels
