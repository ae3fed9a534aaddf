// SPDX-License-Identifier: Apache-2.0
// The geometry shared by BatchToSpace and SpaceToBatch: a "blocked" array [B1 * B2 * ... * batch, D1, D2,
// ...] and a "spatial" one [batch, S1, S2, ...]. Element i of axis a of the spatial array is shifted by
// margin = margin_begin[a]. It is in block element (i + margin) % B at position (i + margin) / B.
#pragma once

#include "kernels/mapped_copy.h"
#include "model/op.h"

namespace wasmvino::ops {

// The inputs block_shape, and pads or crops, of a node; each is nullopt while unknown.
struct BlockInputs {
  std::optional<Ints> block_shape, begin, end;
};

// Reads and checks inputs 1, 2 and 3, of any integer type. Rejects wrong lengths and values that are not
// valid blocks or margins. `begin` and `end` are the names of inputs 2 and 3.
BlockInputs infer_block_inputs(InferContext& context, const char* begin, const char* end);

// Maps the elements of the spatial array to places in the blocked one.
kernels::MappedCopy block_copy(ElementType type, const Shape& blocked, const Shape& spatial,
                               const Ints& block_shape, const Ints& margin_begin);

}  // namespace wasmvino::ops
