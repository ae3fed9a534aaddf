// SPDX-License-Identifier: Apache-2.0
// Finds the positions of values in sorted rows, for Bucketize and SearchSorted.
#pragma once

#include <memory>

#include "model/op.h"

namespace wasmvino::ops {

// result[i] = the number of elements of a sorted row that are less than value i or, with `after`, not greater
// than it. The rows are the last axis of input `rows`. A single row serves all values; otherwise each row
// serves the values with the same indices in the other axes. Both inputs may have any numeric type. Equal
// kinds are compared exactly; integers with reals, and u64 with signed integers, as f64. NaN sorts last.
// Output 0 has the shape of the values and type i32 or i64.
std::unique_ptr<Kernel> compile_sorted_search(CompileContext& context, size_t rows, size_t values,
                                              bool after);

}  // namespace wasmvino::ops
