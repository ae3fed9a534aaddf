// SPDX-License-Identifier: Apache-2.0
#include "kernels/columns.h"

#include "kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

VD lower(VF v) { return hn::PromoteLowerTo(F64x2(), v); }
VD upper(VF v) { return hn::PromoteUpperTo(F64x2(), v); }

template <bool kMeans>
void add_squares(const float* x, const double* means, size_t n, double* sums) {
  const F64x2 d;
  size_t j = 0;
  for (; j + kLanes <= n; j += kLanes) {
    const VF v = load(x + j);
    VD a = lower(v), b = upper(v);
    if constexpr (kMeans) {
      a = hn::Sub(a, hn::LoadU(d, means + j));
      b = hn::Sub(b, hn::LoadU(d, means + j + 2));
    }
    hn::StoreU(hn::MulAdd(a, a, hn::LoadU(d, sums + j)), d, sums + j);
    hn::StoreU(hn::MulAdd(b, b, hn::LoadU(d, sums + j + 2)), d, sums + j + 2);
  }
  for (; j < n; ++j) {
    const double difference = static_cast<double>(x[j]) - (kMeans ? means[j] : 0.0);
    sums[j] += difference * difference;
  }
}

}  // namespace

void add_columns(const float* x, size_t n, double* sums) {
  const F64x2 d;
  size_t j = 0;
  for (; j + kLanes <= n; j += kLanes) {
    const VF v = load(x + j);
    hn::StoreU(hn::Add(hn::LoadU(d, sums + j), lower(v)), d, sums + j);
    hn::StoreU(hn::Add(hn::LoadU(d, sums + j + 2), upper(v)), d, sums + j + 2);
  }
  for (; j < n; ++j) sums[j] += static_cast<double>(x[j]);
}

void add_square_columns(const float* x, const double* means, size_t n, double* sums) {
  if (means != nullptr) {
    add_squares<true>(x, means, n, sums);
  } else {
    add_squares<false>(x, means, n, sums);
  }
}

void scale_columns(const float* x, const float* means, const float* scales, float* y, size_t n) {
  size_t j = 0;
  for (; j + kLanes <= n; j += kLanes) {
    VF v = load(x + j);
    if (means != nullptr) v = hn::Sub(v, load(means + j));
    store(hn::Mul(v, load(scales + j)), y + j);
  }
  for (; j < n; ++j) y[j] = (x[j] - (means != nullptr ? means[j] : 0.0f)) * scales[j];
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
