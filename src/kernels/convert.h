// SPDX-License-Identifier: Apache-2.0
// Arrays of one element type from arrays of another, where that is worth vectors. n elements; no overlap.
// f16 and bf16 are handed over as their bits; rounding is to nearest, ties to even; NaN stays NaN.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wasmvino::kernels {

void f16_to_f32(const uint16_t* from, float* to, size_t n);
void f32_to_f16(const float* from, uint16_t* to, size_t n);
void bf16_to_f32(const uint16_t* from, float* to, size_t n);
void f32_to_bf16(const float* from, uint16_t* to, size_t n);

void convert(const int8_t* from, float* to, size_t n);
void convert(const uint8_t* from, float* to, size_t n);
void convert(const int32_t* from, float* to, size_t n);
void convert(const int64_t* from, float* to, size_t n);
void convert(const double* from, float* to, size_t n);
void convert(const float* from, double* to, size_t n);
void convert(const int32_t* from, int64_t* to, size_t n);
// The low 32 bits.
void convert(const int64_t* from, int32_t* to, size_t n);
// Truncated towards zero; what does not fit, and NaN, becomes the smallest integer, as x86 and OpenVINO have
// it.
void convert(const float* from, int32_t* to, size_t n);
// Rounded to nearest, ties to even, and saturated; NaN becomes 0. What quantisation wants.
void round_saturate(const float* from, int8_t* to, size_t n);
void round_saturate(const float* from, uint8_t* to, size_t n);

}  // namespace wasmvino::kernels
