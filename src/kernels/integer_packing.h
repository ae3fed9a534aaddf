// SPDX-License-Identifier: Apache-2.0
// Packs matrices B of u8 data during the run, for gemm() of integer_gemm.h.
#pragma once

#include "kernels/integer_gemm.h"

namespace wasmvino::kernels {

// Packs element (p, j), minus 128, at b[p * k_stride + j * n_stride]. `packed` has integer_weights_size(k, n)
// bytes.
void pack_integer_data(IntegerDot dot, const uint8_t* b, size_t k_stride, size_t n_stride, size_t k, size_t n,
                       int8_t* packed);

// The sum of n bytes, at most kMostIntegerDepth.
uint32_t sum_of_bytes(const uint8_t* x, size_t n);

}  // namespace wasmvino::kernels
