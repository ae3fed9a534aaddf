// SPDX-License-Identifier: Apache-2.0
// Operations on vectors of small integers.
#pragma once

#include <cstring>

#include "kernels/integer_gemm.h"
#include "kernels/pair-inl.h"
#include "kernels/short_copy-inl.h"
#include "kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {

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

// Whether kernels have the forms with products of four bytes. Native builds compute these products element by
// element, so that their tests, too, run these forms.
#if defined(__wasm__)
inline constexpr bool kHasQuads = kHasRelaxedDot;
#else
inline constexpr bool kHasQuads = true;
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

// Loads eight bytes into the lower half of a vector.
HWY_INLINE VB load_eight(const uint8_t* p) {
#if defined(__wasm__)
  return VB{wasm_v128_load64_zero(p)};
#else
  return hn::ZeroExtendVector(U8x16(), hn::LoadU(U8x8(), p));
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

// sum + the products of four bytes. b is signed; whether a is signed depends on the machine. Natively, tests
// choose it: native_integer_dot.
HWY_INLINE VI add_quads([[maybe_unused]] VI a, [[maybe_unused]] VI b, VI sum) {
#if defined(__wasm_relaxed_simd__)
  return VI{wasm_i32x4_relaxed_dot_i8x16_i7x16_add(b.raw, a.raw, sum.raw)};
#elif defined(__wasm__)
  return sum;
#else
  uint8_t bytes_a[16];
  int8_t bytes_b[16];
  int32_t sums[4];
  hn::StoreU(hn::BitCast(U8x16(), a), U8x16(), bytes_a);
  hn::StoreU(hn::BitCast(hn::FixedTag<int8_t, 16>(), b), hn::FixedTag<int8_t, 16>(), bytes_b);
  hn::StoreU(sum, I32x4(), sums);
  for (size_t i = 0; i < 16; ++i) {
    const int x = native_integer_dot == IntegerDot::kSigned ? static_cast<int8_t>(bytes_a[i]) : bytes_a[i];
    sums[i / 4] += x * bytes_b[i];
  }
  return hn::LoadU(I32x4(), sums);
#endif
}

HWY_INLINE VF to_float(VI v) { return hn::ConvertTo(F32x4(), v); }

// The greater of v and low; low if v is a NaN, which becomes the lowest level.
HWY_INLINE VF at_least_or(VF low, VF v) { return hn::Max(v, low); }

// Clamps what becomes a level.
HWY_INLINE VF clamp_level(VF v, VF low, VF high) { return hn::Min(at_least_or(low, v), high); }

// Rounds values of at least -2^22. Values of 2^22 and more become integers that are larger than any i16.
HWY_INLINE VI round_saturating(VF v) {
  const VI bits = hn::BitCast(I32x4(), hn::Add(v, constant<kRoundingShift>()));
  return hn::Sub(bits, integer_constant<kRoundingShiftBits>());
}

// Stores the first `count` of eight integers of 0..255 as bytes.
HWY_INLINE void store_bytes(VI a, VI b, uint8_t* to, size_t count) {
  const auto bytes = hn::DemoteTo(U8x8(), hn::OrderedDemote2To(I16x8(), a, b));
  if (count >= 8) return hn::StoreU(bytes, U8x8(), to);
  alignas(16) uint8_t all[16];
  hn::StoreU(bytes, U8x8(), all);
  std::memcpy(to, all, count);
}

// Stores the first eight bytes at `low` and the other eight at `high`.
HWY_INLINE void store_halves(VB v, uint8_t* low, uint8_t* high) {
#if defined(__wasm__)
  wasm_v128_store64_lane(low, v.raw, 0);
  wasm_v128_store64_lane(high, v.raw, 1);
#else
  hn::StoreU(hn::LowerHalf(U8x8(), v), U8x8(), low);
  hn::StoreU(hn::UpperHalf(U8x8(), v), U8x8(), high);
#endif
}

// Not a fused multiply-add, so that all builds round alike.
HWY_INLINE VF scaled(VF v, VF scale, VF offset) { return hn::Add(hn::Mul(v, scale), offset); }

// Eight bytes as floats. They become the low bits of the float 2^23, which is then subtracted. For values
// that are never negative, LLVM chooses the unsigned conversion, for which x86 has no instruction.
HWY_INLINE FloatPair load_bytes(const uint8_t* p) {
  const V16 v = load_unsigned(p), upper = hn::BitCast(I16x8(), integer_constant<0x4B004B00>());
  const VF offset = constant<8388608.0f>();
  return {hn::Sub(hn::BitCast(F32x4(), hn::InterleaveLower(I16x8(), v, upper)), offset),
          hn::Sub(hn::BitCast(F32x4(), hn::InterleaveUpper(I16x8(), v, upper)), offset)};
}

// The last, incomplete vector of a row, padded with zeros.
template <typename T, size_t kCount = 8>
struct Part {
  alignas(16) T values[kCount] = {};
  Part(const T* from, size_t count) { std::memcpy(values, from, count * sizeof(T)); }
};

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
