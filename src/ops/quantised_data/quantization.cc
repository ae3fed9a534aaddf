// SPDX-License-Identifier: Apache-2.0
#include "ops/quantised_data/quantization.h"

#include "kernels/integer_elementwise.h"

namespace wasmvino::ops {

void quantize(const Quantization& quantization, const float* x, uint8_t* q, size_t n) {
  const size_t step = quantization.from_step();
  kernels::quantize(x, {quantization.inverse.data(), step}, {quantization.shift.data(), step},
                    quantization.most, q, n);
}

void dequantize(const Quantization& quantization, const uint8_t* q, float* x, size_t n) {
  const size_t step = quantization.step();
  kernels::dequantize(q, {quantization.scale.data(), step}, {quantization.zero_point.data(), step}, x, n);
}

}  // namespace wasmvino::ops
