// SPDX-License-Identifier: Apache-2.0
// Bounds of slices and indices, for operators that read or write parts of a tensor.
#pragma once

#include <limits>

#include "frontends/pnnx/context.h"

namespace wasmvino::pnnx {

// pnnx writes C's INT_MAX for a missing end and for an axis that is not selected.
constexpr int64_t kNotGiven = std::numeric_limits<int32_t>::max();

// One bound of a slice for each of its axes: a parameter (singular or plural), or an input.
class Bounds {
 public:
  Bounds(Context& c, const char* name, size_t count, int64_t otherwise);

  Source list(Context& c, size_t i) const {
    return computed_.empty() ? c.b().list({known_[i]}) : computed_[i];
  }
  // The number for an axis, if it is known.
  std::optional<int64_t> known(Context& c, size_t i) const;

 private:
  Ints known_;
  std::vector<Source> computed_;
};

// x[None, i, j]: the axes that have an index, the axes that are kept, and the indices: i64, or one boolean
// mask.
struct Indices {
  Ints axes, others;
  std::vector<Source> indices;
};

// The indices of an operator whose first input has `rank` axes: the parameter or the input `name`.
Indices indices_of(Context& c, const char* name, size_t rank);
bool is_mask(Context& c, const Source& index);
// Several indices, broadcast and combined: [..., number of indices].
Source index_tuples(Context& c, const std::vector<Source>& indices);
// The order of the axes of a result of GatherND with index_tuples(), where PyTorch puts the axes of adjacent
// indices: where the first indexed axis was. Empty if they stay in front. `rank` is that of the indices.
Ints result_order(const Ints& axes, const Ints& others, size_t rank);
// The positions where a mask is true: [count, axes of the mask].
Source places_of(Context& c, const Source& mask);

}  // namespace wasmvino::pnnx
