// SPDX-License-Identifier: Apache-2.0
#include "kernels/rotary.h"

#include "kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {

void rotate_row(const float* x, RowFactors cos, RowFactors sin, float* y, size_t n) {
  const size_t half = n / 2;
  size_t i = 0;
  if (!cos.same && !sin.same) {
    const float *c = cos.values, *s = sin.values;
    for (; i + kLanes <= half; i += kLanes) {
      const size_t j = i + half;
      const VF a = load(x + i), b = load(x + j);
      store(hn::Sub(hn::Mul(a, load(c + i)), hn::Mul(b, load(s + i))), y + i);
      store(hn::Add(hn::Mul(b, load(c + j)), hn::Mul(a, load(s + j))), y + j);
    }
  }
  const auto at = [](RowFactors factors, size_t element) {
    return factors.values[factors.same ? 0 : element];
  };
  for (; i < half; ++i) {
    const size_t j = i + half;
    const float a = x[i], b = x[j];
    y[i] = a * at(cos, i) - b * at(sin, i);
    y[j] = b * at(cos, j) + a * at(sin, j);
  }
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
