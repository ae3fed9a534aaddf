// SPDX-License-Identifier: Apache-2.0
// Conversions of arrays between element types where vector code pays off. Each converts n elements; arrays
// must not overlap. f16 and bf16 are passed as their bits. Rounding is to nearest, ties to even; NaN stays
// NaN.
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
// Keeps the low 32 bits.
void convert(const int64_t* from, int32_t* to, size_t n);
// Truncates towards zero. NaN and values out of range become the smallest integer, as on x86 and in OpenVINO.
void convert(const float* from, int32_t* to, size_t n);
void convert(const float* from, int64_t* to, size_t n);
// The low byte of the i32.
void convert(const float* from, int8_t* to, size_t n);
void convert(const float* from, uint8_t* to, size_t n);
// 1 for any byte except 0.
void booleans_to_f32(const uint8_t* from, float* to, size_t n);
// Rounds to nearest, ties to even, and saturates, as quantisation requires. NaN becomes 0.
void round_saturate(const float* from, int8_t* to, size_t n);
void round_saturate(const float* from, uint8_t* to, size_t n);

}  // namespace wasmvino::kernels
