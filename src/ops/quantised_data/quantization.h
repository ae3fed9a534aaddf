// SPDX-License-Identifier: Apache-2.0
// Quantises rows of f32 to u8 and back.
#pragma once

#include <cstdint>

#include "model/op.h"
#include "model/quantization.h"

namespace wasmvino::ops {

// With one quantisation per channel, n is the number of channels.
void quantize(const Quantization& quantization, const float* x, uint8_t* q, size_t n);
void dequantize(const Quantization& quantization, const uint8_t* q, float* x, size_t n);

}  // namespace wasmvino::ops
