// SPDX-License-Identifier: Apache-2.0
// Where values belong in sorted rows: Bucketize and SearchSorted.
#pragma once

#include <memory>

#include "model/op.h"

namespace wasmvino::ops {

// result[i] = the number of elements of a sorted row that are less than value i, with `after` that are not
// greater. The rows are the last axis of input `rows`; one row serves all values, else each the values that
// have its index in the other axes. Both inputs are of any numeric types: equal kinds are compared exactly,
// integers with reals or u64 with signed integers as f64. NaN comes behind all. Output 0 has the shape of the
// values and type i32 or i64.
std::unique_ptr<Kernel> compile_sorted_search(CompileContext& context, size_t rows, size_t values,
                                              bool after);

}  // namespace wasmvino::ops
