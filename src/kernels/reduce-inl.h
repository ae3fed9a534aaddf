// SPDX-License-Identifier: Apache-2.0
// Reduces the lanes of a vector to one number.
#pragma once

#include "kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {

// maxps and minps return their second operand if either is NaN, so a NaN in the first must be restored.
HWY_INLINE VF maximum(VF a, VF b) { return hn::IfThenElse(hn::IsNaN(a), a, hn::Max(a, b)); }
HWY_INLINE VF minimum(VF a, VF b) { return hn::IfThenElse(hn::IsNaN(a), a, hn::Min(a, b)); }
template <typename V>
HWY_INLINE V maximum(V a, V b) {
  return hn::Max(a, b);
}
template <typename V>
HWY_INLINE V minimum(V a, V b) {
  return hn::Min(a, b);
}

// (v0 op v2) op (v1 op v3)
template <typename Fold>
HWY_INLINE float fold_lanes(VF v, const Fold& fold) {
  v = fold(v, hn::Shuffle1032(v));
  v = fold(v, hn::Shuffle2301(v));
  return hn::GetLane(v);
}

HWY_INLINE float sum_lanes(VF v) {
  return fold_lanes(v, [](VF a, VF b) HWY_ATTR { return hn::Add(a, b); });
}

HWY_INLINE float max_lanes(VF v) {
  return fold_lanes(v, [](VF a, VF b) HWY_ATTR { return maximum(a, b); });
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
