// SPDX-License-Identifier: Apache-2.0
// Matmuls of integers of one type, accumulated in 64 bits, which wrap.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wasmvino::kernels {

// c[i, j] = sum over l < k of a[i, l] * b[l, j] for `m` rows and `n` columns. Row i of `a` begins at a + i *
// a_row, and its elements are a_k apart. Row l of `b` begins at b + l * b_k, and its elements are b_column
// apart. `c` is contiguous. Results of 8 and 16 bits saturate, wider ones wrap. T is int8_t .. int64_t,
// uint8_t or uint16_t; wider unsigned types have the same bits as the signed ones.
template <typename T>
void multiply_integers(const T* a, size_t a_row, size_t a_k, const T* b, size_t b_k, size_t b_column, T* c,
                       size_t m, size_t n, size_t k);

extern template void multiply_integers(const int8_t*, size_t, size_t, const int8_t*, size_t, size_t, int8_t*,
                                       size_t, size_t, size_t);
extern template void multiply_integers(const uint8_t*, size_t, size_t, const uint8_t*, size_t, size_t,
                                       uint8_t*, size_t, size_t, size_t);
extern template void multiply_integers(const int16_t*, size_t, size_t, const int16_t*, size_t, size_t,
                                       int16_t*, size_t, size_t, size_t);
extern template void multiply_integers(const uint16_t*, size_t, size_t, const uint16_t*, size_t, size_t,
                                       uint16_t*, size_t, size_t, size_t);
extern template void multiply_integers(const int32_t*, size_t, size_t, const int32_t*, size_t, size_t,
                                       int32_t*, size_t, size_t, size_t);
extern template void multiply_integers(const int64_t*, size_t, size_t, const int64_t*, size_t, size_t,
                                       int64_t*, size_t, size_t, size_t);

}  // namespace wasmvino::kernels
