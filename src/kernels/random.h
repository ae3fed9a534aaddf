// SPDX-License-Identifier: Apache-2.0
// Random integer generators with the same sequences as OpenVINO, TensorFlow and PyTorch.
#pragma once

#include <cstdint>

namespace wasmvino::kernels {

// Philox 4x32 with 10 rounds: block `n` of the sequence given by key and counter. Salmon et al., Parallel
// Random Numbers: As Easy as 1, 2, 3 (2011).
void philox(uint64_t key, uint64_t counter, uint64_t n, uint32_t (&block)[4]);

// A seed for sequences that must differ on every call.
uint64_t arbitrary_seed();

}  // namespace wasmvino::kernels
