// SPDX-License-Identifier: Apache-2.0
#include "kernels/rotary.h"

#include "kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {

namespace {

HWY_INLINE VF load_factors(RowFactors factors, size_t i, size_t count) {
  if (factors.same) return set(factors.values[0]);
  return count == kLanes ? load(factors.values + i) : load_part(factors.values + i, count);
}

}  // namespace

void rotate_row(const float* x, RowFactors cos, RowFactors sin, float* y, size_t n) {
  const size_t half = n / 2;
  for (size_t i = 0; i < half; i += kLanes) {
    const size_t j = i + half, count = half - i < kLanes ? half - i : kLanes;
    const bool whole = count == kLanes;
    const VF a = whole ? load(x + i) : load_part(x + i, count);
    const VF b = whole ? load(x + j) : load_part(x + j, count);
    const VF first =
        hn::Sub(hn::Mul(a, load_factors(cos, i, count)), hn::Mul(b, load_factors(sin, i, count)));
    const VF second =
        hn::Add(hn::Mul(b, load_factors(cos, j, count)), hn::Mul(a, load_factors(sin, j, count)));
    if (whole) {
      store(first, y + i);
      store(second, y + j);
    } else {
      store_part(first, y + i, count);
      store_part(second, y + j, count);
    }
  }
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
