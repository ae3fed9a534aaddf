// SPDX-License-Identifier: Apache-2.0
#include "kernels/blend.h"

#include "kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {

void blend(const Corners& corners, float* y, size_t n) {
  const float *a = corners.rows[0], *b = corners.rows[1], *c = corners.rows[2], *d = corners.rows[3];
  const float* w = corners.weights;
  const VF wa = set(w[0]), wb = set(w[1]), wc = set(w[2]), wd = set(w[3]);
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    // Two chains, not four: half the latency of a single sum.
    const VF low = mul_add(load(b + i), wb, hn::Mul(load(a + i), wa));
    const VF high = mul_add(load(d + i), wd, hn::Mul(load(c + i), wc));
    store(hn::Add(low, high), y + i);
  }
  for (; i < n; ++i) y[i] = (a[i] * w[0] + b[i] * w[1]) + (c[i] * w[2] + d[i] * w[3]);
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
