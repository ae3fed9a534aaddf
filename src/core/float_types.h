// SPDX-License-Identifier: Apache-2.0
// Floating-point types of 16 bits or fewer: storage types with exact conversions of single values.
// kernels/convert.h converts arrays.
#pragma once

#include <bit>
#include <cstdint>

namespace wasmvino {

float f16_to_f32(uint16_t bits);
// Rounds to nearest, ties to even. Values that are too large become infinities.
uint16_t f32_to_f16(float value);

inline float bf16_to_f32(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }
// Rounds to nearest, ties to even.
uint16_t f32_to_bf16(float value);

struct Float16 {
  uint16_t bits = 0;
  Float16() = default;
  explicit Float16(float value) : bits(f32_to_f16(value)) {}
  explicit operator float() const { return f16_to_f32(bits); }
};

struct BFloat16 {
  uint16_t bits = 0;
  BFloat16() = default;
  explicit BFloat16(float value) : bits(f32_to_bf16(value)) {}
  explicit operator float() const { return bf16_to_f32(bits); }
};

}  // namespace wasmvino
