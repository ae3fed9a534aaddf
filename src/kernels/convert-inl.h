// SPDX-License-Identifier: Apache-2.0
// Conversions of one vector, for arrays (convert.cc) and for weights that stay f16 in memory.
#pragma once

#include "kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {

using VU = hn::Vec<U32x4>;
using U16x4 = hn::FixedTag<uint16_t, 4>;
using U16x8 = hn::FixedTag<uint16_t, 8>;

template <uint32_t kValue>
HWY_INLINE VU word() {
  return hn::BitCast(U32x4(), integer_constant<static_cast<int32_t>(kValue)>());
}

// a < b below 2^31. A comparison of unsigned lanes takes three instructions.
HWY_INLINE hn::Mask<U32x4> less(VU a, VU b) {
  return hn::RebindMask(U32x4(), hn::Lt(hn::BitCast(I32x4(), a), hn::BitCast(I32x4(), b)));
}

// Converts f16 bits in the low half of each lane. No step produces or reads a denormal f32, which would cost
// 150 cycles on x86: small weights are often denormal in f16.
HWY_INLINE VF f16_lanes_to_f32(VU bits) {
  const U32x4 d;
  const VU sign = hn::ShiftLeft<16>(hn::And(bits, word<0x8000>()));
  const VU magnitude = hn::And(bits, word<0x7FFF>());
  const VU shifted = hn::ShiftLeft<13>(magnitude);
  const VU normal = hn::Add(shifted, word<112u << 23>());
  // For a denormal: put its digits after an implied leading one, then subtract that one.
  const VF denormal =
      hn::Sub(hn::BitCast(F32x4(), hn::Add(shifted, word<113u << 23>())), constant<0x1p-14f>());
  const VU finite = hn::IfThenElse(less(magnitude, word<0x0400>()), hn::BitCast(d, denormal), normal);
  const VU special = hn::IfThenElseZero(less(word<0x7BFF>(), magnitude), word<112u << 23>());
  return hn::BitCast(F32x4(), hn::Or(hn::Add(finite, special), sign));
}

HWY_INLINE VF load_f16(const uint16_t* p) {
  return f16_lanes_to_f32(hn::PromoteTo(U32x4(), hn::LoadU(U16x4(), p)));
}

HWY_INLINE VF load_bf16(const uint16_t* p) {
  return hn::BitCast(F32x4(), hn::ShiftLeft<16>(hn::PromoteTo(U32x4(), hn::LoadU(U16x4(), p))));
}

// Returns f16 bits in the low half of each lane.
HWY_INLINE VU f32_to_f16_lanes(VF v) {
  const U32x4 d;
  const VU bits = hn::BitCast(d, v);
  const VU sign = hn::And(hn::ShiftRight<16>(bits), word<0x8000>());
  const VU magnitude = hn::And(bits, word<0x7FFFFFFF>());
  const VU odd = hn::And(hn::ShiftRight<13>(magnitude), word<1>());
  const VU normal = hn::ShiftRight<13>(hn::Add(hn::Sub(magnitude, word<0x38000000 - 0xFFF>()), odd));
  // Below 2^-14, adding 1/2 makes f32 round at the last digit of f16 denormals.
  const VU denormal =
      hn::Sub(hn::BitCast(d, hn::Add(hn::BitCast(F32x4(), magnitude), constant<0.5f>())), word<0x3F000000>());
  VU result = hn::IfThenElse(less(magnitude, word<0x38800000>()), denormal, normal);
  // 65520 and more becomes infinity.
  result = hn::IfThenElse(less(word<0x477FEFFF>(), magnitude), word<0x7C00>(), result);
  result = hn::IfThenElse(less(word<0x7F800000>(), magnitude), word<0x7E00>(), result);
  return hn::Or(result, sign);
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
