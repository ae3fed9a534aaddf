// SPDX-License-Identifier: Apache-2.0
#include "kernels/convert.h"

#include <cstring>
#include <limits>

#include "core/float_types.h"
#include "kernels/boolean-inl.h"
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
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    const VI low = hn::BitCast(I32x4(), f32_to_f16_lanes(load(from + i)));
    const VI high = hn::BitCast(I32x4(), f32_to_f16_lanes(load(from + i + kLanes)));
    hn::StoreU(hn::OrderedDemote2To(U16x8(), low, high), U16x8(), to + i);
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
  const MF fits = hn::Lt(hn::Abs(v), constant<0x1p31f>());
  const VI smallest = integer_constant<std::numeric_limits<int32_t>::min()>();
  return hn::IfThenElse(hn::RebindMask(I32x4(), fits), hn::ConvertTo(I32x4(), v), smallest);
}

int64_t truncated_to_int64(float x) {
  const bool fits = x < 0x1p63f && x >= -0x1p63f;
  return fits ? static_cast<int64_t>(x) : std::numeric_limits<int64_t>::min();
}

// The low bytes of four truncated vectors.
template <typename T>
void truncate_to_bytes(const float* from, T* to, size_t n) {
  const hn::FixedTag<uint8_t, 16> d8;
  const hn::FixedTag<int16_t, 8> d16;
  const auto sixteen = [&](const float* x) HWY_ATTR {
    const auto byte = [&](size_t j) HWY_ATTR {
      return hn::And(truncate(load(x + j * kLanes)), integer_constant<255>());
    };
    return hn::OrderedDemote2To(d8, hn::OrderedDemote2To(d16, byte(0), byte(1)),
                                hn::OrderedDemote2To(d16, byte(2), byte(3)));
  };
  size_t i = 0;
  for (; i + 16 <= n; i += 16) hn::StoreU(sixteen(from + i), d8, reinterpret_cast<uint8_t*>(to + i));
  if (i == n) return;
  float rest[16] = {};
  alignas(16) T bytes[16];
  std::memcpy(rest, from + i, (n - i) * sizeof(float));
  hn::Store(sixteen(rest), d8, reinterpret_cast<uint8_t*>(bytes));
  std::memcpy(to + i, bytes, n - i);
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

void convert(const float* from, int8_t* to, size_t n) { truncate_to_bytes(from, to, n); }
void convert(const float* from, uint8_t* to, size_t n) { truncate_to_bytes(from, to, n); }

void convert(const float* from, int64_t* to, size_t n) {
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const VF v = load(from + i);
    if (HWY_LIKELY(hn::AllTrue(F32x4(), hn::Lt(hn::Abs(v), constant<0x1p31f>())))) {
      const VI words = hn::ConvertTo(I32x4(), v);
      hn::StoreU(hn::PromoteLowerTo(I64x2(), words), I64x2(), to + i);
      hn::StoreU(hn::PromoteUpperTo(I64x2(), words), I64x2(), to + i + 2);
    } else {
      for (size_t j = i; j < i + kLanes; ++j) to[j] = truncated_to_int64(from[j]);
    }
  }
  for (; i < n; ++i) to[i] = truncated_to_int64(from[i]);
}

void booleans_to_f32(const uint8_t* from, float* to, size_t n) {
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const VF mask = as_float(widened<int32_t>(load_booleans<kLanes>(from + i)));
    store(hn::And(mask, constant<1.0f>()), to + i);
  }
  for (; i < n; ++i) to[i] = from[i] != 0 ? 1.0f : 0.0f;
}

void round_saturate(const float* from, int8_t* to, size_t n) { round_saturate_all(from, to, n); }
void round_saturate(const float* from, uint8_t* to, size_t n) { round_saturate_all(from, to, n); }

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
