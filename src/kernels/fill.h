// SPDX-License-Identifier: Apache-2.0
// One value, many times.
#pragma once

#include <cstddef>

#include "core/element_type.h"

namespace wasmvino::kernels {

// Elements of a sub-byte type that fill whole bytes together (u4: 2, u3: 8 in 3 bytes); 1 for other types.
size_t packed_group(ElementType type);

// `count` copies of a block of bytes, one after the other; the block does not overlap them.
void repeat_block(const void* block, void* to, size_t block_bytes, size_t count);

// Elements first .. first + count of an array become `value`, one element of the type; nullptr stands for
// zero, false or the empty string.
void fill_elements(ElementType type, const void* value, void* array, size_t first, size_t count);

}  // namespace wasmvino::kernels
