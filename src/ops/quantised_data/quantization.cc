// SPDX-License-Identifier: Apache-2.0
#include "ops/quantised_data/quantization.h"

#include "kernels/integer_elementwise.h"

namespace wasmvino::ops {

void Quantization::quantize(const float* x, uint8_t* q, size_t n) const {
  kernels::quantize(x, {inverse.data(), step()}, {shift.data(), step()}, most, q, n);
}

void Quantization::dequantize(const uint8_t* q, float* x, size_t n) const {
  kernels::dequantize(q, {scale.data(), step()}, {zero_point.data(), step()}, x, n);
}

}  // namespace wasmvino::ops
