// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace wasmvino {

// Bytes of tensors that this thread has allocated, less those that it has freed. A difference tells how much
// something keeps.
int64_t tensor_bytes_of_thread();

}  // namespace wasmvino
