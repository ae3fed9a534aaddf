// SPDX-License-Identifier: Apache-2.0
//
// The vector type of every kernel: 128 bits on every machine, so that native tests run the same tiles as
// WebAssembly. Only .cc files and -inl.h headers of src/kernels include this file; public headers are plain
// C++.
//
// Highway is used with static dispatch. A browser cannot choose code at run time: a module is validated as a
// whole, so plain and relaxed SIMD are two modules. Highway 1.2 has no relaxed SIMD; mul_add and neg_mul_add
// below map to it.

#pragma once

#include <cstddef>
#include <cstdint>

#if !defined(HWY_COMPILE_ONLY_STATIC) && !defined(HWY_COMPILE_ONLY_EMU128)
#define HWY_COMPILE_ONLY_STATIC
#endif
#include "hwy/highway.h"
#if defined(__wasm__)
#include <wasm_simd128.h>
#endif

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {

namespace hn = hwy::HWY_NAMESPACE;

using F32x4 = hn::FixedTag<float, 4>;
using I32x4 = hn::FixedTag<int32_t, 4>;
using U32x4 = hn::FixedTag<uint32_t, 4>;
using F64x2 = hn::FixedTag<double, 2>;
using I64x2 = hn::FixedTag<int64_t, 2>;
using U64x2 = hn::FixedTag<uint64_t, 2>;
using VF = hn::Vec<F32x4>;
using VI = hn::Vec<I32x4>;
using VD = hn::Vec<F64x2>;
using VL = hn::Vec<I64x2>;
using MF = hn::Mask<F32x4>;

inline constexpr size_t kLanes = 4;

// True if mul_add is one instruction with one rounding (relaxed SIMD may also round twice, depending on the
// CPU).
#if defined(__wasm_relaxed_simd__) || HWY_NATIVE_FMA
inline constexpr bool kFusedMulAdd = true;
#else
inline constexpr bool kFusedMulAdd = false;
#endif

// a * b + c
HWY_INLINE VF mul_add(VF a, VF b, VF c) {
#if defined(__wasm_relaxed_simd__)
  return VF{wasm_f32x4_relaxed_madd(a.raw, b.raw, c.raw)};
#else
  return hn::MulAdd(a, b, c);
#endif
}

// c - a * b
HWY_INLINE VF neg_mul_add(VF a, VF b, VF c) {
#if defined(__wasm_relaxed_simd__)
  return VF{wasm_f32x4_relaxed_nmadd(a.raw, b.raw, c.raw)};
#else
  return hn::NegMulAdd(a, b, c);
#endif
}

// a * b, for integers modulo 2^n.
template <typename V>
HWY_INLINE V multiply(V a, V b) {
  return hn::Mul(a, b);
}
#if defined(__wasm__)
// Highway 1.2 builds this from 32-bit multiplications.
HWY_INLINE VL multiply(VL a, VL b) { return VL{wasm_i64x2_mul(a.raw, b.raw)}; }
#endif

HWY_INLINE VF set(float value) { return hn::Set(F32x4(), value); }
HWY_INLINE VF zero() { return hn::Zero(F32x4()); }
HWY_INLINE VF load(const float* p) { return hn::LoadU(F32x4(), p); }
HWY_INLINE void store(VF v, float* p) { hn::StoreU(v, F32x4(), p); }

// One value in all lanes (v128.load32_splat; on x86 vbroadcastss, which needs only a load port).
HWY_INLINE VF load_splat(const float* p) {
#if defined(__wasm__)
  return VF{wasm_v128_load32_splat(p)};
#else
  return hn::Set(F32x4(), *p);
#endif
}

// Constants in all lanes. V8 builds a constant vector anew at each use, with three instructions. One from
// memory takes one, or none if it stays in a register: a sum of 256 Ki quantised elements took 237 us
// instead of 114. They are not const, so that the compiler cannot replace the load by the constant. Floats
// are splats of one value, because V8 joins these, but not two loads of the same vector (registers.h).
template <float kValue>
inline float stored_float = kValue;
template <int32_t kValue>
inline int32_t stored_integers[kLanes] = {kValue, kValue, kValue, kValue};

template <float kValue>
HWY_INLINE VF constant() {
#if defined(__wasm__)
  return load_splat(&stored_float<kValue>);
#else
  return set(kValue);
#endif
}
template <int32_t kValue>
HWY_INLINE VI integer_constant() {
#if defined(__wasm__)
  return hn::LoadU(I32x4(), stored_integers<kValue>);
#else
  return hn::Set(I32x4(), kValue);
#endif
}

// Read where there is no bias. A branch between it and zero() would make two blocks, whose vectors V8 does
// not join (registers.h).
alignas(16) inline constexpr float kZeroFloats[8 * kLanes] = {};

// 1.5 * 2^23. The sum of it and a float is rounded to an integer, ties to even, which is in the low bits of
// the sum. A conversion takes six more instructions.
inline constexpr float kRoundingShift = 12582912.0f;
inline constexpr int32_t kRoundingShiftBits = 0x4B400000;

// Loads the first n (< 4) floats and sets the other lanes to 0. Reads nothing beyond them.
HWY_INLINE VF load_part(const float* p, size_t n) {
  alignas(16) float lanes[kLanes] = {};
  for (size_t i = 0; i < n; ++i) lanes[i] = p[i];
  return hn::Load(F32x4(), lanes);
}

// Stores the first n (< 4) lanes and nothing beyond.
HWY_INLINE void store_part(VF v, float* p, size_t n) {
  alignas(16) float lanes[kLanes];
  hn::Store(v, F32x4(), lanes);
  for (size_t i = 0; i < n; ++i) p[i] = lanes[i];
}

// The first n (<= 4) lanes.
HWY_INLINE VF load_lanes(const float* p, size_t n) { return n == kLanes ? load(p) : load_part(p, n); }
HWY_INLINE void store_lanes(VF v, float* p, size_t n) { n == kLanes ? store(v, p) : store_part(v, p, n); }

// v if it is a NaN, otherwise `bounded`, which is hn::Max or hn::Min of a bound and v, in this order. If v is
// a NaN, minps and maxps return it, and so do wasm's pmin and pmax. The scalar reference returns the bound.
HWY_INLINE VF keep_nan([[maybe_unused]] VF v, VF bounded) {
#if HWY_TARGET == HWY_EMU128
  return hn::IfThenElse(hn::IsNaN(v), v, bounded);
#else
  return bounded;
#endif
}
// The greater of v and low, the lesser of v and high. They keep a NaN in v.
HWY_INLINE VF at_least(VF low, VF v) { return keep_nan(v, hn::Max(low, v)); }
HWY_INLINE VF at_most(VF high, VF v) { return keep_nan(v, hn::Min(high, v)); }
HWY_INLINE VF clamp(VF v, VF low, VF high) { return at_most(high, at_least(low, v)); }

// a / b. Highway's scalar division gives 0 if b is 0.
HWY_INLINE VF divide(VF a, VF b) {
#if HWY_TARGET == HWY_EMU128
  for (size_t i = 0; i < kLanes; ++i) a.raw[i] /= b.raw[i];
  return a;
#else
  return hn::Div(a, b);
#endif
}

// Transposes: rows become columns.
HWY_INLINE void transpose_4x4(VF (&v)[4]) {
  const F32x4 d;
  const VF a = hn::InterleaveLower(d, v[0], v[2]), b = hn::InterleaveUpper(d, v[0], v[2]);
  const VF c = hn::InterleaveLower(d, v[1], v[3]), e = hn::InterleaveUpper(d, v[1], v[3]);
  v[0] = hn::InterleaveLower(d, a, c);
  v[1] = hn::InterleaveUpper(d, a, c);
  v[2] = hn::InterleaveLower(d, b, e);
  v[3] = hn::InterleaveUpper(d, b, e);
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
