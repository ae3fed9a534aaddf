// SPDX-License-Identifier: Apache-2.0
// The most probable class of each row of scores, which greedy decoders begin with.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/parallel.h"

namespace wasmvino::kernels {

// best[row] becomes the number of the greatest of `classes` scores, the first of equal ones, for each of
// `rows` rows that wanted(row).
template <typename Wanted>
void find_best_classes(const Parallel& parallel, const float* scores, size_t rows, size_t classes,
                       const Wanted& wanted, int32_t* best) {
  constexpr size_t kGrain = size_t{1} << 13;  // scores that are worth a thread: some 10 µs of one
  parallel_for(parallel, rows, kGrain / std::max<size_t>(1, classes), [&](size_t begin, size_t end) {
    for (size_t row = begin; row < end; ++row) {
      const float* of_row = scores + row * classes;
      if (wanted(row)) best[row] = static_cast<int32_t>(std::max_element(of_row, of_row + classes) - of_row);
    }
  });
}

}  // namespace wasmvino::kernels
