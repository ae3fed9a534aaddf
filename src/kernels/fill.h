// SPDX-License-Identifier: Apache-2.0
// Fills arrays with repeated values, and copies blocks of bytes.
#pragma once

#include <cstddef>

#include "core/element_type.h"

namespace wasmvino::kernels {

// The smallest number of elements of a sub-byte type that fills whole bytes (u4: 2; u3: 8 in 3 bytes); 1 for
// other types.
size_t packed_group(ElementType type);

// Writes `count` consecutive copies of a block of bytes to `to`. The block must not overlap them.
void repeat_block(const void* block, void* to, size_t block_bytes, size_t count);

// Copies `count` blocks of bytes, which are `from_step` and `to_step` bytes apart.
void copy_blocks(const char* from, ptrdiff_t from_step, char* to, ptrdiff_t to_step, size_t block_bytes,
                 size_t count);

// Sets elements [first, first + count) of an array to `value`, which points to one element of the type.
// nullptr stands for zero, false or the empty string.
void fill_elements(ElementType type, const void* value, void* array, size_t first, size_t count);

}  // namespace wasmvino::kernels
