// SPDX-License-Identifier: Apache-2.0
// Elementwise operations and pooling of quantised tensors: u8 from and to f32, sums, maxima.
#pragma once

#include "kernels/conv.h"
#include "kernels/epilogue.h"

namespace wasmvino::kernels {

// One number per element (step 1), or one number for all elements (step 0).
struct QuantizedNumbers {
  const float* values;
  size_t step;
};

// q[i] = x[i] * scale + offset, clamped to 0..most and rounded, ties to even. NaN gives an unspecified level.
void quantize(const float* x, QuantizedNumbers scale, QuantizedNumbers offset, float most, uint8_t* q,
              size_t n);

// x[i] = (q[i] - zero) * scale
void dequantize(const uint8_t* q, QuantizedNumbers scale, QuantizedNumbers zero, float* x, size_t n);

// y[i] = a[i] * scale_a + b[i] * scale_b + offset, clamped to low..high. The u8 form rounds, ties to even;
// low..high must be within 0..255.
struct QuantizedSum {
  float scale_a, scale_b, offset, low, high;
};
void add_quantized(const QuantizedSum& sum, const uint8_t* a, const uint8_t* b, uint8_t* y, size_t n);
void add_quantized(const QuantizedSum& sum, const uint8_t* a, const uint8_t* b, float* y, size_t n);

// A sum and a PRelu of `rows` of n elements: v = a[i] * scale_a + b[i] * scale_b + offset,
// y[i] = (v < 0 ? v * slopes[i % n] : v) + shift, clamped to low..high and rounded.
void add_quantized(const QuantizedSum& sum, const float* slopes, float shift, const uint8_t* a,
                   const uint8_t* b, uint8_t* y, size_t rows, size_t n);

// y[i] = x[i] * scale[i] + offset[i], clamped to low..high. For y in u8 as in a sum.
void rescale(const uint8_t* x, const float* scale, const float* offset, const Bounds& bounds, uint8_t* y,
             size_t n);
void rescale(const uint8_t* x, const float* scale, const float* offset, const Bounds& bounds, float* y,
             size_t n);

// The maximum of each channel over windows, like pool() of depthwise.h, for `rows` of [0, batch * out depth *
// out height). Each window must contain at least one element.
void max_pool(const Conv& conv, const uint8_t* x, uint8_t* y, Range rows);

}  // namespace wasmvino::kernels
