// SPDX-License-Identifier: Apache-2.0
// Updates single elements, or runs of them, in a copy of an array: the last step of the Scatter operations,
// after they have computed the places.
#pragma once

#include <cstddef>

#include "core/checked.h"
#include "core/tensor.h"
#include "model/op.h"

namespace wasmvino::ops {

enum class ScatterReduction { kNone, kSum, kSub, kProd, kMin, kMax, kMean };

// Scratch memory that the node needs: an array of `runs` places, followed by memory for scatter().
CheckedSize scatter_scratch_bytes(ElementType type, ScatterReduction reduction, size_t elements, size_t runs);

// Copies `data` to output 0, unless both have the same memory.
void copy_to_output(const Parallel& parallel, const TensorView& data, TensorView& output);

// Destinations of `runs` runs of `length` elements each: run i of the updates goes to run places[i] of the
// output. Each `group` consecutive runs form a group. Runs of different groups never go to the same place,
// nor do runs of one group whose indices differ modulo `inner`.
struct ScatterPlaces {
  const size_t* places;
  size_t runs, length, group, inner;
};

// Combines the elements of run places[i] of the output with run i of the updates, for all i in order. If not
// `from_data`, reductions start with the first update of an element instead of the element itself. `scratch`
// is the memory after the places, as requested above.
void scatter(const Parallel& parallel, ScatterReduction reduction, bool from_data,
             const ScatterPlaces& places, const TensorView& updates, TensorView& output, void* scratch);

}  // namespace wasmvino::ops
