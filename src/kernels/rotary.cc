// SPDX-License-Identifier: Apache-2.0
#include "kernels/rotary.h"

#include "kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

HWY_INLINE VF load_factors(RowFactors factors, size_t i, size_t n) {
  return factors.same ? set(factors.values[0]) : load_lanes(factors.values + i, n);
}

}  // namespace

void rotate_row(const float* x, RowFactors cos, RowFactors sin, float* y, size_t n) {
  const size_t half = n / 2;
  for (size_t i = 0; i < half; i += kLanes) {
    const size_t j = i + half, lanes = half - i < kLanes ? half - i : kLanes;
    const VF a = load_lanes(x + i, lanes), b = load_lanes(x + j, lanes);
    const VF first =
        hn::Sub(hn::Mul(a, load_factors(cos, i, lanes)), hn::Mul(b, load_factors(sin, i, lanes)));
    const VF second =
        hn::Add(hn::Mul(b, load_factors(cos, j, lanes)), hn::Mul(a, load_factors(sin, j, lanes)));
    store_lanes(first, y + i, lanes);
    store_lanes(second, y + j, lanes);
  }
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
