// SPDX-License-Identifier: Apache-2.0
// Finds the greatest elements of columns and rows: the class of each pixel or box, the best of many scores.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wasmvino::kernels {

// For each of `columns` columns of x, whose `rows` (at least one) rows are `stride` apart: the greatest or
// smallest element and the index of its row. Of equal elements, the first wins. NaN is greater than all
// numbers.
void best_rows(const float* x, size_t rows, size_t stride, size_t columns, bool smallest, float* values,
               int32_t* indices);

// The index of the best of `count` (at least one) adjacent elements, by the same rules.
size_t best_element(const float* x, size_t count, bool smallest);

// The index of the first element at or after `begin` that is better than `bound`, by the same rules. `count`
// if there is none.
size_t next_better(const float* x, size_t begin, size_t count, float bound, bool smallest);

}  // namespace wasmvino::kernels
