// SPDX-License-Identifier: Apache-2.0
// Slices start:stop:step of one axis, as in Slice, StridedSlice and SliceScatter.
#pragma once

#include <optional>

#include "core/shape.h"
#include "model/node.h"

namespace wasmvino::ops {

struct SliceRange {
  int64_t begin = 0;  // first element
  int64_t count = 0;  // number of elements, `step` apart
};

// Negative start and stop count from the end; values outside are clamped to the axis. `step` must not be 0.
SliceRange slice_range(int64_t start, int64_t stop, int64_t step, int64_t size);

// The number of elements for a dimension that may be dynamic.
Dimension slice_size(int64_t start, int64_t stop, int64_t step, Dimension size);

// Input 0 of a Slice or StridedSlice that takes all of it, in order. Input `step` has the steps, which are 1
// without it.
std::optional<model::Source> whole_input(const model::Node& node, size_t step);

}  // namespace wasmvino::ops
