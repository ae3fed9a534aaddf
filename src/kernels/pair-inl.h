// SPDX-License-Identifier: Apache-2.0
// Two adjacent vectors that are computed alike, so that V8 can join them (registers.h), and what templates
// need to compute one vector or two.
#pragma once

#include "kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {

struct FloatPair {
  VF first, second;
};

template <typename V>
inline constexpr size_t kFloats = sizeof(V) / sizeof(float);

template <typename V>
HWY_INLINE V load_floats(const float* p) {
  if constexpr (kFloats<V> == kLanes) {
    return load(p);
  } else {
    return {load(p), load(p + kLanes)};
  }
}
template <typename V>
HWY_INLINE V constant_of(VF value) {
  if constexpr (kFloats<V> == kLanes) {
    return value;
  } else {
    return {value, value};
  }
}
HWY_INLINE void store(const FloatPair& v, float* p) {
  store(v.first, p);
  store(v.second, p + kLanes);
}

HWY_INLINE VF add(VF a, VF b) { return hn::Add(a, b); }
HWY_INLINE VF subtract(VF a, VF b) { return hn::Sub(a, b); }

HWY_INLINE FloatPair add(const FloatPair& a, const FloatPair& b) {
  return {add(a.first, b.first), add(a.second, b.second)};
}
HWY_INLINE FloatPair subtract(const FloatPair& a, const FloatPair& b) {
  return {subtract(a.first, b.first), subtract(a.second, b.second)};
}
HWY_INLINE FloatPair multiply(const FloatPair& a, const FloatPair& b) {
  return {multiply(a.first, b.first), multiply(a.second, b.second)};
}
HWY_INLINE FloatPair mul_add(const FloatPair& a, const FloatPair& b, const FloatPair& c) {
  return {mul_add(a.first, b.first, c.first), mul_add(a.second, b.second, c.second)};
}
HWY_INLINE FloatPair neg_mul_add(const FloatPair& a, const FloatPair& b, const FloatPair& c) {
  return {neg_mul_add(a.first, b.first, c.first), neg_mul_add(a.second, b.second, c.second)};
}
HWY_INLINE FloatPair clamp(const FloatPair& v, VF low, VF high) {
  return {clamp(v.first, low, high), clamp(v.second, low, high)};
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
