// SPDX-License-Identifier: Apache-2.0
// Updates of single elements, or runs of them, of a copy of an array: what the Scatter operations do once
// they know the places.
#pragma once

#include <cstddef>

#include "core/checked.h"
#include "core/tensor.h"
#include "model/op.h"

namespace wasmvino::ops {

enum class ScatterReduction { kNone, kSum, kSub, kProd, kMin, kMax, kMean };

// What the node needs besides: an array of `runs` places, then memory for scatter().
CheckedSize scatter_scratch_bytes(ElementType type, ScatterReduction reduction, size_t elements, size_t runs);

// Makes output 0 a copy of `data`, unless it stands in the same memory.
void copy_to_output(const Parallel& parallel, const TensorView& data, TensorView& output);

// Where `runs` runs of `length` elements each go: run i of the updates to run places[i] of the output. Runs
// of different groups, of `group` runs in a row, never go to the same place, nor do runs of one group whose
// numbers differ modulo `inner`.
struct ScatterPlaces {
  const size_t* places;
  size_t runs, length, group, inner;
};

// The elements of run places[i] of the output become what the reduction makes of them and of run i of the
// updates, for all i in order. Where not `from_data`, reductions start with the first update of an element
// instead of the element itself. `scratch` has the bytes asked for above, behind the places.
void scatter(const Parallel& parallel, ScatterReduction reduction, bool from_data,
             const ScatterPlaces& places, const TensorView& updates, TensorView& output, void* scratch);

}  // namespace wasmvino::ops
