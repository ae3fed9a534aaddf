// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace wasmvino {

// The bytes of all tensors that own their memory. While no other thread makes tensors, the difference of two
// calls tells how much memory something keeps.
int64_t allocated_tensor_bytes();

}  // namespace wasmvino
