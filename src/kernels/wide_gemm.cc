// SPDX-License-Identifier: Apache-2.0
#include "kernels/wide_gemm.h"

#include <algorithm>
#include <limits>

#include "core/work.h"

namespace wasmvino::kernels {

template <typename T>
void multiply_integers(const T* a, size_t a_row, size_t a_k, const T* b, size_t b_k, size_t b_column, T* c,
                       size_t m, size_t n, size_t k) {
  constexpr size_t kColumns = 64;
  for (size_t i = 0; i < m; ++i) {
    for (size_t first = 0; first < n; first += kColumns) {
      const size_t width = std::min(kColumns, n - first);
      uint64_t sums[kColumns] = {};
      count_work(width * k);
      for (size_t l = 0; l < k; ++l) {
        const uint64_t left = static_cast<uint64_t>(a[i * a_row + l * a_k]);
        const T* right = b + l * b_k + first * b_column;
        if (b_column == 1) {
          for (size_t j = 0; j < width; ++j) sums[j] += left * static_cast<uint64_t>(right[j]);
        } else {
          for (size_t j = 0; j < width; ++j) sums[j] += left * static_cast<uint64_t>(right[j * b_column]);
        }
      }
      for (size_t j = 0; j < width; ++j) {
        int64_t sum = static_cast<int64_t>(sums[j]);
        if constexpr (sizeof(T) <= 2) {
          sum = std::clamp<int64_t>(sum, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
        }
        c[i * n + first + j] = static_cast<T>(sum);
      }
    }
  }
}

template void multiply_integers(const int8_t*, size_t, size_t, const int8_t*, size_t, size_t, int8_t*, size_t,
                                size_t, size_t);
template void multiply_integers(const uint8_t*, size_t, size_t, const uint8_t*, size_t, size_t, uint8_t*,
                                size_t, size_t, size_t);
template void multiply_integers(const int16_t*, size_t, size_t, const int16_t*, size_t, size_t, int16_t*,
                                size_t, size_t, size_t);
template void multiply_integers(const uint16_t*, size_t, size_t, const uint16_t*, size_t, size_t, uint16_t*,
                                size_t, size_t, size_t);
template void multiply_integers(const int32_t*, size_t, size_t, const int32_t*, size_t, size_t, int32_t*,
                                size_t, size_t, size_t);
template void multiply_integers(const int64_t*, size_t, size_t, const int64_t*, size_t, size_t, int64_t*,
                                size_t, size_t, size_t);

}  // namespace wasmvino::kernels
