// SPDX-License-Identifier: Apache-2.0
// The slices of Slice and SliceScatter, given by the inputs start, stop, step and, optionally, axes.
#pragma once

#include "model/op.h"

namespace wasmvino::ops {

// The shape of the slice of input 0. `first` is the index of the input start; stop, step and axes follow.
PartialShape infer_slice_axes(InferContext& context, size_t first);

// Position of the slice in input 0, in elements.
struct SliceAxes {
  Ints strides;
  int64_t offset = 0;
};
SliceAxes slice_axes(const CompileContext& context, size_t first);

}  // namespace wasmvino::ops
