// SPDX-License-Identifier: Apache-2.0
// The geometry that BatchToSpace and SpaceToBatch share: a "blocked" array [B1 * B2 * ... * batch, D1, D2,
// ...] and a "spatial" one [batch, S1, S2, ...], where element i of axis a of the spatial one, moved by
// margin_begin[a], lies in block element (i + margin) % B of place (i + margin) / B.
#pragma once

#include "kernels/mapped_copy.h"
#include "model/op.h"

namespace wasmvino::ops {

// The inputs block_shape, and pads or crops, of a node, each nullopt while unknown.
struct BlockInputs {
  std::optional<Ints> block_shape, begin, end;
};

// Reads and checks inputs 1, 2 and 3, of any integer types: lengths, values that are no block or no margin.
// `begin` and `end` name inputs 2 and 3.
BlockInputs infer_block_inputs(InferContext& context, const char* begin, const char* end);

// Places in the blocked array for the elements of the spatial one.
kernels::MappedCopy block_copy(ElementType type, const Shape& blocked, const Shape& spatial,
                               const Ints& block_shape, const Ints& margin_begin);

}  // namespace wasmvino::ops
