// SPDX-License-Identifier: Apache-2.0
// Booleans as vectors of masks. Any byte except 0 is true.
#pragma once

#include "kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {

// kCount booleans as bytes of all ones (true) or zeros.
template <size_t kCount>
HWY_INLINE auto load_booleans(const uint8_t* p) {
  const hn::FixedTag<uint8_t, kCount> d;
  const hn::FixedTag<int8_t, kCount> masks;
  return hn::BitCast(masks, hn::VecFromMask(d, hn::Ne(hn::LoadU(d, p), hn::Zero(d))));
}

// The masks for wider elements.
template <typename T, typename V>
HWY_INLINE auto widened(V masks) {
  if constexpr (sizeof(T) == 1) {
    return masks;
  } else {
    return hn::PromoteTo(hn::FixedTag<T, 16 / sizeof(T)>(), masks);
  }
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
