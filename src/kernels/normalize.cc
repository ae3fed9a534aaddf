// SPDX-License-Identifier: Apache-2.0
#include "kernels/normalize.h"

#include <algorithm>
#include <cmath>

#include "kernels/reduce-inl.h"
#include "kernels/reduce.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

// The sum of (x - mean)^2, in blocks as in reduce.cc.
double squared_differences(const float* x, size_t n, float mean) {
  constexpr size_t kBlock = 1024;
  const VF m = set(mean);
  double total = 0.0;
  for (size_t first = 0; first < n; first += kBlock) {
    const size_t last = std::min(n, first + kBlock);
    VF p0 = zero(), p1 = zero(), p2 = zero(), p3 = zero();
    size_t i = first;
    for (; i + 4 * kLanes <= last; i += 4 * kLanes) {
      const VF a = hn::Sub(load(x + i), m), b = hn::Sub(load(x + i + kLanes), m);
      const VF c = hn::Sub(load(x + i + 2 * kLanes), m), d = hn::Sub(load(x + i + 3 * kLanes), m);
      p0 = mul_add(a, a, p0);
      p1 = mul_add(b, b, p1);
      p2 = mul_add(c, c, p2);
      p3 = mul_add(d, d, p3);
    }
    for (; i < last; i += kLanes) {
      const size_t left = std::min(kLanes, last - i);
      VF a = hn::Sub(left == kLanes ? load(x + i) : load_part(x + i, left), m);
      a = hn::IfThenElseZero(hn::FirstN(F32x4(), left), a);
      p0 = mul_add(a, a, p0);
    }
    total += sum_lanes(hn::Add(hn::Add(p0, p1), hn::Add(p2, p3)));
  }
  return total;
}

template <bool kGamma, bool kBeta>
void normalize(const float* x, float* y, size_t n, float mean, float scale, const float* gamma,
               const float* beta) {
  const VF m = set(mean), s = set(scale);
  const auto one = [&](VF v, VF g, VF b) HWY_ATTR {
    VF factor = s;
    if constexpr (kGamma) factor = hn::Mul(s, g);
    v = hn::Sub(v, m);
    return kBeta ? mul_add(v, factor, b) : hn::Mul(v, factor);
  };
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    store(one(load(x + i), kGamma ? load(gamma + i) : s, kBeta ? load(beta + i) : s), y + i);
  }
  if (i < n) {
    const size_t left = n - i;
    const VF g = kGamma ? load_part(gamma + i, left) : s, b = kBeta ? load_part(beta + i, left) : s;
    store_part(one(load_part(x + i, left), g, b), y + i, left);
  }
}

}  // namespace

Moments moments(const float* x, size_t n) {
  const float count = static_cast<float>(n);
  const float mean = reduce_row(Reduction::kSum, x, n) / count;
  return {mean, static_cast<float>(squared_differences(x, n, mean)) / count};
}

void normalize_row(const float* x, float* y, size_t n, float mean, float scale, const float* gamma,
                   const float* beta) {
  if (gamma != nullptr && beta != nullptr) return normalize<true, true>(x, y, n, mean, scale, gamma, beta);
  if (gamma != nullptr) return normalize<true, false>(x, y, n, mean, scale, gamma, beta);
  if (beta != nullptr) return normalize<false, true>(x, y, n, mean, scale, gamma, beta);
  normalize<false, false>(x, y, n, mean, scale, gamma, beta);
}

void layer_norm_row(const float* x, float* y, size_t n, float epsilon, const float* gamma,
                    const float* beta) {
  const Moments m = moments(x, n);
  normalize_row(x, y, n, m.mean, 1.0f / std::sqrt(m.variance + epsilon), gamma, beta);
}

void rms_norm_row(const float* x, float* y, size_t n, float epsilon, const float* gamma, const float* beta) {
  const float mean_square = reduce_row(Reduction::kSumOfSquares, x, n) / static_cast<float>(n);
  normalize_row(x, y, n, 0.0f, 1.0f / std::sqrt(mean_square + epsilon), gamma, beta);
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
