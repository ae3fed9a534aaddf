// SPDX-License-Identifier: Apache-2.0
// Rows of keys and values in 8 bits, as language models keep them between runs. A row is [width] u8, then its
// scale and its least element in f32. An element is u8 * scale + least.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wasmvino::kernels {

// Bytes of a row in addition to its elements.
inline constexpr size_t kCacheRowExtra = 2 * sizeof(float);

// Quantises adjacent rows. The levels of a row reach from its least to its greatest element, as in OpenVINO.
// A row with infinities or NaN becomes NaN.
void quantise_cache_rows(const float* from, size_t rows, size_t width, uint8_t* to);

// The other way. Rows of `from` are `stride` bytes apart, those of `to` adjacent.
void dequantise_cache_rows(const uint8_t* from, size_t stride, size_t rows, size_t width, float* to);

// Products of at most kFewQueries rows of a query with all rows of keys: c[i * c_stride + j] = query[i]
// keys[j]. Keys are dequantised in registers only, since each is used a few times.
inline constexpr size_t kFewQueries = 4;
struct FewQueries {
  const float* data;
  size_t count, stride;
};
void multiply_cache_rows(const FewQueries& query, const uint8_t* keys, size_t stride, size_t count,
                         size_t width, float* c, size_t c_stride);

}  // namespace wasmvino::kernels
