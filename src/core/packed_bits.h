// SPDX-License-Identifier: Apache-2.0
// Reads and writes single elements narrower than a byte, as IR constants pack them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/element_type.h"

namespace wasmvino {

// The raw bits of element `index` of a packed array.
// u1: most significant bit first. u2: low bits first. 4-bit types: low nibble first.
// u3: 8 values in 3 bytes (two bytes of low pairs, one of high bits). u6: 4 values in 3 bytes (two bytes of
// low nibbles, one of high pairs). In u3 and u6 the first value is in the top bits.
uint8_t load_bits(ElementType type, const void* packed, size_t index);
void store_bits(ElementType type, void* packed, size_t index, uint8_t bits);
// Zeroes the bits after the last of `count` elements. They belong to no element, and kernels that write whole
// bytes or groups leave arbitrary values there.
void clear_padding(ElementType type, void* packed, size_t count);

// The value that raw bits of a sub-byte or 8-bit float type represent.
float decode_bits(ElementType type, uint8_t bits);
// The raw bits of the nearest value (ties to even), saturated to the type's range.
uint8_t encode_bits(ElementType type, float value);

}  // namespace wasmvino
