// SPDX-License-Identifier: Apache-2.0
// Finds the most probable class of each row of scores: the first step of greedy decoders.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/parallel.h"

namespace wasmvino::kernels {

// For each row that satisfies wanted(row), sets best[row] to the index of the greatest of its `classes`
// scores. Of equal scores, the first wins. The other entries of `best` stay as they are.
template <typename Wanted>
void find_best_classes(const Parallel& parallel, const float* scores, size_t rows, size_t classes,
                       const Wanted& wanted, int32_t* best) {
  constexpr size_t kGrain = size_t{1} << 13;  // grain: scores in about 10 µs of work
  parallel_for(parallel, rows, kGrain / std::max<size_t>(1, classes), [&](size_t begin, size_t end) {
    for (size_t row = begin; row < end; ++row) {
      const float* of_row = scores + row * classes;
      if (wanted(row)) best[row] = static_cast<int32_t>(std::max_element(of_row, of_row + classes) - of_row);
    }
  });
}

}  // namespace wasmvino::kernels
