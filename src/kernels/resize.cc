// SPDX-License-Identifier: Apache-2.0
#include "kernels/resize.h"

#include "kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

// y = sum of kTaps weighted rows, added to y if kMore. Four rows per pass: the weights and two columns of
// sums stay in registers.
template <size_t kTaps, bool kMore>
void combine(const float* const* rows, const float* weights, float* y, size_t n) {
  VF weight[kTaps];
  for (size_t k = 0; k < kTaps; ++k) weight[k] = set(weights[k]);
  const auto sum_at = [&](size_t j) {
    VF sum = kMore ? load(y + j) : hn::Mul(weight[0], load(rows[0] + j));
    for (size_t k = kMore ? 0 : 1; k < kTaps; ++k) sum = mul_add(weight[k], load(rows[k] + j), sum);
    return sum;
  };
  size_t j = 0;
  for (; j + 2 * kLanes <= n; j += 2 * kLanes) {
    const VF a = sum_at(j), b = sum_at(j + kLanes);
    store(a, y + j);
    store(b, y + j + kLanes);
  }
  if (j + kLanes <= n) {
    store(sum_at(j), y + j);
    j += kLanes;
  }
  for (; j < n; ++j) {
    float sum = kMore ? y[j] : 0.0f;
    for (size_t k = 0; k < kTaps; ++k) sum += weights[k] * rows[k][j];
    y[j] = sum;
  }
}

template <bool kMore>
void combine_few(const float* const* rows, const float* weights, size_t taps, float* y, size_t n) {
  switch (taps) {
    case 1:
      return combine<1, kMore>(rows, weights, y, n);
    case 2:
      return combine<2, kMore>(rows, weights, y, n);
    case 3:
      return combine<3, kMore>(rows, weights, y, n);
    default:
      return combine<4, kMore>(rows, weights, y, n);
  }
}

// Two taps per output: y[i] = w[2i] x[first[i]] + w[2i + 1] x[first[i] + 1]. A pair is one 64-bit load. Four
// outputs are two vectors of products whose even and odd lanes are added.
size_t combine_pairs(const float* x, const int32_t* first, const float* weights, float* y, size_t n) {
  const F32x4 d;
  const hn::Half<F32x4> pair;
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const VF low = hn::Combine(d, hn::LoadU(pair, x + first[i + 1]), hn::LoadU(pair, x + first[i]));
    const VF high = hn::Combine(d, hn::LoadU(pair, x + first[i + 3]), hn::LoadU(pair, x + first[i + 2]));
    const VF a = hn::Mul(low, load(weights + 2 * i));
    const VF b = hn::Mul(high, load(weights + 2 * i + kLanes));
    store(hn::Add(hn::ConcatEven(d, b, a), hn::ConcatOdd(d, b, a)), y + i);
  }
  return i;
}

// Four taps per output.
size_t combine_quads(const float* x, const int32_t* first, const float* weights, float* y, size_t n) {
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    VF products[4];
    for (size_t k = 0; k < 4; ++k) {
      products[k] = hn::Mul(load(x + first[i + k]), load(weights + 4 * (i + k)));
    }
    transpose_4x4(products);
    store(hn::Add(hn::Add(products[0], products[1]), hn::Add(products[2], products[3])), y + i);
  }
  return i;
}

}  // namespace

void combine_rows(const float* const* rows, const float* weights, size_t taps, float* y, size_t n) {
  if (taps == 0) {
    for (size_t j = 0; j < n; ++j) y[j] = 0.0f;
    return;
  }
  combine_few<false>(rows, weights, taps < 4 ? taps : 4, y, n);
  for (size_t k = 4; k < taps; k += 4) {
    combine_few<true>(rows + k, weights + k, taps - k < 4 ? taps - k : 4, y, n);
  }
}

void combine_windows(const float* x, const int32_t* first, const float* weights, size_t taps, float* y,
                     size_t n) {
  size_t i = taps == 2   ? combine_pairs(x, first, weights, y, n)
             : taps == 4 ? combine_quads(x, first, weights, y, n)
                         : 0;
  for (; i < n; ++i) {
    const float* const window = x + first[i];
    const float* const weight = weights + i * taps;
    VF partial = zero();
    size_t k = 0;
    for (; k + kLanes <= taps; k += kLanes) partial = mul_add(load(weight + k), load(window + k), partial);
    float sum = taps < kLanes ? 0.0f : hn::ReduceSum(F32x4(), partial);
    for (; k < taps; ++k) sum += weight[k] * window[k];
    y[i] = sum;
  }
}

void combine_pixels(const float* x, size_t size, size_t channels, const int32_t* first, const float* weights,
                    size_t taps, float* y, size_t n) {
  // A vector holds a pixel and the start of the next one, which is written after it.
  const size_t readable = size * channels, written = n * channels;
  for (size_t i = 0; i < n; ++i) {
    VF sum = zero();
    for (size_t k = 0; k < taps; ++k) {
      const size_t place = (static_cast<size_t>(first[i]) + k) * channels;
      const VF pixel = place + kLanes <= readable ? load(x + place) : load_part(x + place, channels);
      sum = mul_add(load_splat(weights + i * taps + k), pixel, sum);
    }
    if ((i * channels) + kLanes <= written) {
      store(sum, y + i * channels);
    } else {
      store_part(sum, y + i * channels, channels);
    }
  }
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
