// SPDX-License-Identifier: Apache-2.0
// Copies parts of tensors. Every copy checks types and sizes itself.
#pragma once

#include "core/tensor.h"

namespace wasmvino {

// Where blocks of elements begin in a tensor: the first, and the distance from one to the next, in elements.
struct BlockPlaces {
  size_t first = 0;
  size_t step = 0;
};

// Copies `blocks` blocks of `count` elements (strings and sub-byte types too). Throws an Error if the types
// differ or a block is outside of its tensor. copy_elements() copies whole tensors, with the same checks.
void copy_blocks(const TensorView& from, BlockPlaces from_places, TensorView& to, BlockPlaces to_places,
                 size_t blocks, size_t count);

}  // namespace wasmvino
