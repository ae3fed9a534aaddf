// SPDX-License-Identifier: Apache-2.0
// Operations on vectors of small integers.
#pragma once

#include <cstring>

#include "kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {

using U8x16 = hn::FixedTag<uint8_t, 16>;
using U8x8 = hn::FixedTag<uint8_t, 8>;
using I8x8 = hn::FixedTag<int8_t, 8>;
using U8x4 = hn::FixedTag<uint8_t, 4>;
using I16x8 = hn::FixedTag<int16_t, 8>;
using V16 = hn::Vec<I16x8>;
using VB = hn::Vec<U8x16>;

#if defined(__wasm_relaxed_simd__)
inline constexpr bool kHasRelaxedDot = true;
#else
inline constexpr bool kHasRelaxedDot = false;
#endif

// Loads eight bytes as i16.
HWY_INLINE V16 load_signed(const int8_t* p) {
#if defined(__wasm__)
  return V16{wasm_i16x8_load8x8(p)};
#else
  return hn::PromoteTo(I16x8(), hn::LoadU(I8x8(), p));
#endif
}
HWY_INLINE V16 load_unsigned(const uint8_t* p) {
#if defined(__wasm__)
  return V16{wasm_u16x8_load8x8(p)};
#else
  return hn::PromoteTo(I16x8(), hn::LoadU(U8x8(), p));
#endif
}

// Loads four bytes into all lanes.
HWY_INLINE VI load_splat_bytes(const char* p) {
#if defined(__wasm__)
  return VI{wasm_v128_load32_splat(p)};
#else
  int32_t bits;
  std::memcpy(&bits, p, sizeof(bits));
  return hn::Set(I32x4(), bits);
#endif
}

// sum + the products of pairs of i16.
HWY_INLINE VI add_pairs(V16 a, V16 b, VI sum) { return hn::Add(sum, hn::WidenMulPairwiseAdd(I32x4(), a, b)); }

// sum + the products of four bytes. b is signed; whether a is signed depends on the machine.
HWY_INLINE VI add_quads([[maybe_unused]] VI a, [[maybe_unused]] VI b, VI sum) {
#if defined(__wasm_relaxed_simd__)
  return VI{wasm_i32x4_relaxed_dot_i8x16_i7x16_add(b.raw, a.raw, sum.raw)};
#else
  return sum;
#endif
}

HWY_INLINE VF to_float(VI v) { return hn::ConvertTo(F32x4(), v); }

// Rounds values of 0..255, ties to even. Adding 1.5 * 2^23 rounds the value and leaves the integer in the low
// bits. A conversion takes six more instructions.
HWY_INLINE VI round_to_byte(VF v) {
  const VI bits = hn::BitCast(I32x4(), hn::Add(v, set(12582912.0f)));
  return hn::And(bits, hn::Set(I32x4(), 0xFF));
}

// Stores the first `count` of eight integers of 0..255 as bytes.
HWY_INLINE void store_bytes(VI a, VI b, uint8_t* to, size_t count) {
  const auto bytes = hn::DemoteTo(U8x8(), hn::OrderedDemote2To(I16x8(), a, b));
  if (count >= 8) return hn::StoreU(bytes, U8x8(), to);
  alignas(16) uint8_t all[16];
  hn::StoreU(bytes, U8x8(), all);
  std::memcpy(to, all, count);
}

// Not a fused multiply-add, so that all builds round alike.
HWY_INLINE VF scaled(VF v, VF scale, VF offset) { return hn::Add(hn::Mul(v, scale), offset); }

// Converts four integers of 0..255. For values that are never negative, LLVM chooses the unsigned conversion,
// for which x86 has no instruction. Inserting the bits of 2^23 and subtracting it takes two instructions.
HWY_INLINE VF byte_to_float(VI v) {
  const VI bits = hn::Or(v, hn::Set(I32x4(), 0x4B000000));
  return hn::Sub(hn::BitCast(F32x4(), bits), set(8388608.0f));
}

// Eight bytes as floats.
struct FloatPair {
  VF first, second;
};
HWY_INLINE FloatPair load_bytes(const uint8_t* p) {
  const V16 v = load_unsigned(p);
  return {byte_to_float(hn::PromoteLowerTo(I32x4(), v)), byte_to_float(hn::PromoteUpperTo(I32x4(), v))};
}

// The last, incomplete vector of a row, padded with zeros.
template <typename T, size_t kCount = 8>
struct Part {
  alignas(16) T values[kCount] = {};
  Part(const T* from, size_t count) { std::memcpy(values, from, count * sizeof(T)); }
};

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
