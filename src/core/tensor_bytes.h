// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace wasmvino {

// Bytes of all tensors that own their memory. A difference tells how much something keeps, while no other
// thread makes tensors.
int64_t allocated_tensor_bytes();

}  // namespace wasmvino
