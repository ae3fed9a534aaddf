// SPDX-License-Identifier: Apache-2.0
// The element types in which models store quantised weights.
#pragma once

#include "core/tensor.h"

namespace wasmvino::ops {

// f16, bf16, and types of 8 bits or fewer.
bool is_quantised_type(ElementType type);
// The number added to values of a type when they are packed: 8, 128 or 0.
int shift_of(ElementType type);
// Loads `count` values, starting at `first`, without applying scales and zero points.
void load_raw(const TensorView& values, size_t first, size_t count, float* to);

}  // namespace wasmvino::ops
