// SPDX-License-Identifier: Apache-2.0
#include "kernels/convert.h"

#include <cstring>
#include <limits>

#include "core/float_types.h"
#include "kernels/convert-inl.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {

void f16_to_f32(const uint16_t* from, float* to, size_t n) {
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(load_f16(from + i), to + i);
  for (; i < n; ++i) to[i] = wasmvino::f16_to_f32(from[i]);
}

void f32_to_f16(const float* from, uint16_t* to, size_t n) {
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    hn::StoreU(hn::TruncateTo(U16x4(), f32_to_f16_lanes(load(from + i))), U16x4(), to + i);
  }
  for (; i < n; ++i) to[i] = wasmvino::f32_to_f16(from[i]);
}

// The compiler vectorises the functions below.

void bf16_to_f32(const uint16_t* from, float* to, size_t n) {
  for (size_t i = 0; i < n; ++i) to[i] = wasmvino::bf16_to_f32(from[i]);
}

void f32_to_bf16(const float* from, uint16_t* to, size_t n) {
  for (size_t i = 0; i < n; ++i) to[i] = wasmvino::f32_to_bf16(from[i]);
}

void convert(const int8_t* from, float* to, size_t n) {
  for (size_t i = 0; i < n; ++i) to[i] = from[i];
}

void convert(const uint8_t* from, float* to, size_t n) {
  for (size_t i = 0; i < n; ++i) to[i] = from[i];
}

void convert(const int32_t* from, float* to, size_t n) {
  for (size_t i = 0; i < n; ++i) to[i] = static_cast<float>(from[i]);
}

void convert(const int64_t* from, float* to, size_t n) {
  for (size_t i = 0; i < n; ++i) to[i] = static_cast<float>(from[i]);
}

void convert(const double* from, float* to, size_t n) {
  for (size_t i = 0; i < n; ++i) to[i] = static_cast<float>(from[i]);
}

void convert(const float* from, double* to, size_t n) {
  for (size_t i = 0; i < n; ++i) to[i] = from[i];
}

void convert(const int32_t* from, int64_t* to, size_t n) {
  for (size_t i = 0; i < n; ++i) to[i] = from[i];
}

void convert(const int64_t* from, int32_t* to, size_t n) {
  for (size_t i = 0; i < n; ++i) to[i] = static_cast<int32_t>(from[i]);
}

namespace {

// Conversions saturate in wasm and in Highway. This function gives x86's result instead: the smallest integer
// for values out of range.
HWY_INLINE VI truncate(VF v) {
  const MF fits = hn::Lt(hn::Abs(v), set(0x1p31f));
  const VI smallest = hn::Set(I32x4(), std::numeric_limits<int32_t>::min());
  return hn::IfThenElse(hn::RebindMask(I32x4(), fits), hn::ConvertTo(I32x4(), v), smallest);
}

// Adding 1.5 * 2^23 to the clamped value rounds it.
template <typename T>
void round_saturate_all(const float* from, T* to, size_t n) {
  constexpr float kLow = std::numeric_limits<T>::min(), kHigh = std::numeric_limits<T>::max();
  for (size_t i = 0; i < n; ++i) {
    const float x = from[i];
    const float low = x > kLow ? x : kLow;
    const float clamped = x != x ? 0.0f : low < kHigh ? low : kHigh;
    const float shifted = clamped + kRoundingShift;
    int32_t bits;
    std::memcpy(&bits, &shifted, sizeof(bits));
    to[i] = static_cast<T>(bits - kRoundingShiftBits);
  }
}

}  // namespace

void convert(const float* from, int32_t* to, size_t n) {
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) hn::StoreU(truncate(load(from + i)), I32x4(), to + i);
  if (i < n) {
    alignas(16) int32_t lanes[kLanes];
    hn::Store(truncate(load_part(from + i, n - i)), I32x4(), lanes);
    for (size_t j = 0; i < n; ++i, ++j) to[i] = lanes[j];
  }
}

void round_saturate(const float* from, int8_t* to, size_t n) { round_saturate_all(from, to, n); }
void round_saturate(const float* from, uint8_t* to, size_t n) { round_saturate_all(from, to, n); }

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
