// SPDX-License-Identifier: Apache-2.0
// Models that can run part by part along an axis: what copies inputs into the engine's memory and results out
// of it then finds each part in the cache, and no memory is needed for the whole.
#pragma once

#include <optional>

#include "model/node.h"

namespace wasmvino::runtime {

// How inputs and results are cut: along the axis that has `trailing` axes behind it, where they have `size`
// there. Axes in front of it have one element, so that a part is contiguous. Other inputs are given whole.
struct Parts {
  size_t trailing = 0;
  int64_t size = 0;
  int64_t step = 0;  // of a part; the last may be smaller
};

// The parts to run an indexed and inferred model in; nothing where its shapes are open, where a part of a
// result needs more than that part of the inputs, or where there is too little to copy to be worth it.
std::optional<Parts> find_parts(const model::Model& model);

// The shape of the first part of a tensor, or its own where it is given whole.
Shape first_part(const Parts& parts, Shape whole);

// Whether `part` is what a run of a part takes or gives in place of `whole`.
bool is_part(const Parts& parts, const PartialShape& whole, const Shape& part);

}  // namespace wasmvino::runtime
