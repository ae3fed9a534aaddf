// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/reduce-inl.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

constexpr size_t kBlock = 1024;

// How one more vector enters a partial result, and how two partial results become one.
template <Reduction kOp>
struct Fold {
  static constexpr bool kIsSum =
      kOp == Reduction::kSum || kOp == Reduction::kSumOfMagnitudes || kOp == Reduction::kSumOfSquares;

  static float start() {
    if constexpr (kOp == Reduction::kProduct) return 1.0f;
    if constexpr (kOp == Reduction::kMaximum) return -kInfinity;
    if constexpr (kOp == Reduction::kMinimum) return kInfinity;
    return 0.0f;
  }
  static HWY_INLINE VF enter(VF partial, VF x) {
    if constexpr (kOp == Reduction::kSumOfMagnitudes) return hn::Add(partial, hn::Abs(x));
    if constexpr (kOp == Reduction::kSumOfSquares) return mul_add(x, x, partial);
    return merge(partial, x);
  }
  static HWY_INLINE VF merge(VF a, VF b) {
    if constexpr (kOp == Reduction::kProduct) return hn::Mul(a, b);
    if constexpr (kOp == Reduction::kMaximum) return maximum(a, b);
    if constexpr (kOp == Reduction::kMinimum) return minimum(a, b);
    return hn::Add(a, b);
  }
};

template <Reduction kOp>
VF reduce_block(const float* x, size_t n) {
  using F = Fold<kOp>;
  VF p0 = set(F::start()), p1 = p0, p2 = p0, p3 = p0;
  size_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    p0 = F::enter(p0, load(x + i));
    p1 = F::enter(p1, load(x + i + kLanes));
    p2 = F::enter(p2, load(x + i + 2 * kLanes));
    p3 = F::enter(p3, load(x + i + 3 * kLanes));
  }
  for (; i + kLanes <= n; i += kLanes) p0 = F::enter(p0, load(x + i));
  if (i < n) {
    alignas(16) float rest[kLanes];
    for (size_t j = 0; j < kLanes; ++j) rest[j] = i + j < n ? x[i + j] : F::start();
    p1 = F::enter(p1, hn::Load(F32x4(), rest));
  }
  return F::merge(F::merge(p0, p1), F::merge(p2, p3));
}

template <Reduction kOp>
float row(const float* x, size_t n) {
  using F = Fold<kOp>;
  const auto merge = [](VF a, VF b) HWY_ATTR { return F::merge(a, b); };
  if constexpr (F::kIsSum) {
    if (n > kBlock) {
      double sum = 0.0;
      for (size_t i = 0; i < n; i += kBlock)
        sum += fold_lanes(reduce_block<kOp>(x + i, std::min(kBlock, n - i)), merge);
      return static_cast<float>(sum);
    }
  }
  return fold_lanes(reduce_block<kOp>(x, n), merge);
}

HWY_INLINE VF load_lanes(const float* p, size_t lanes) {
  return lanes == kLanes ? load(p) : load_part(p, lanes);
}

// kVectors neighbouring columns, the last vector of `lanes`. Rows are taken in kChains chains, so that few
// columns still leave additions in flight, and in blocks, the sums of which are added up in double.
template <Reduction kOp, size_t kVectors>
HWY_INLINE void columns_block(const float* x, size_t rows, size_t stride, size_t lanes, float* y) {
  using F = Fold<kOp>;
  constexpr size_t kChains = 4 / kVectors;
  constexpr size_t kRows = 128;
  using Total = std::conditional_t<F::kIsSum, double, float>;
  alignas(16) float folded[kVectors * kLanes];
  Total total[kVectors * kLanes];
  std::fill_n(total, kVectors * kLanes, F::start());
  for (size_t first = 0; first < rows; first += kRows) {
    const size_t last = std::min(rows, first + kRows);
    VF partial[kChains][kVectors];
    HWY_UNROLL(4)
    for (size_t c = 0; c < kChains; ++c) {
      HWY_UNROLL(4)
      for (size_t v = 0; v < kVectors; ++v) partial[c][v] = set(F::start());
    }
    const float* p = x + first * stride;
    size_t i = first;
    for (; i + kChains <= last; i += kChains) {
      HWY_UNROLL(4)
      for (size_t c = 0; c < kChains; ++c, p += stride) {
        HWY_UNROLL(4)
        for (size_t v = 0; v < kVectors; ++v) {
          partial[c][v] = F::enter(partial[c][v], load_lanes(p + v * kLanes, lanes));
        }
      }
    }
    for (; i < last; ++i, p += stride) {
      HWY_UNROLL(4)
      for (size_t v = 0; v < kVectors; ++v)
        partial[0][v] = F::enter(partial[0][v], load_lanes(p + v * kLanes, lanes));
    }
    HWY_UNROLL(4)
    for (size_t v = 0; v < kVectors; ++v) {
      HWY_UNROLL(4)
      for (size_t c = 1; c < kChains; ++c) partial[0][v] = F::merge(partial[0][v], partial[c][v]);
      if constexpr (!F::kIsSum) {
        partial[0][v] = F::merge(hn::LoadU(F32x4(), total + v * kLanes), partial[0][v]);
        hn::StoreU(partial[0][v], F32x4(), total + v * kLanes);
      } else {
        hn::Store(partial[0][v], F32x4(), folded + v * kLanes);
        for (size_t j = v * kLanes; j < (v + 1) * kLanes; ++j) total[j] += folded[j];
      }
    }
  }
  const size_t width = (kVectors - 1) * kLanes + lanes;
  for (size_t j = 0; j < width; ++j) y[j] = static_cast<float>(total[j]);
}

template <Reduction kOp>
void columns(const float* x, size_t rows, size_t stride, size_t width, float* y) {
  size_t j = 0;
  for (; j + 4 * kLanes <= width; j += 4 * kLanes) columns_block<kOp, 4>(x + j, rows, stride, kLanes, y + j);
  for (; j + kLanes <= width; j += kLanes) columns_block<kOp, 1>(x + j, rows, stride, kLanes, y + j);
  if (j < width) columns_block<kOp, 1>(x + j, rows, stride, width - j, y + j);
}

template <typename Body>
auto dispatch(Reduction op, const Body& body) {
  switch (op) {
    case Reduction::kSum:
      return body.template operator()<Reduction::kSum>();
    case Reduction::kProduct:
      return body.template operator()<Reduction::kProduct>();
    case Reduction::kMaximum:
      return body.template operator()<Reduction::kMaximum>();
    case Reduction::kMinimum:
      return body.template operator()<Reduction::kMinimum>();
    case Reduction::kSumOfMagnitudes:
      return body.template operator()<Reduction::kSumOfMagnitudes>();
    case Reduction::kSumOfSquares:
      break;
  }
  return body.template operator()<Reduction::kSumOfSquares>();
}

// The extreme first, by vectors; then where it stands: most of the time near, and never a comparison of
// indices.
size_t find(const float* x, size_t n, float value) {
  const VF wanted = set(value);
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const intptr_t lane = hn::FindFirstTrue(F32x4(), hn::Eq(load(x + i), wanted));
    if (lane >= 0) return i + static_cast<size_t>(lane);
  }
  for (; i < n; ++i) {
    if (x[i] == value) return i;
  }
  return 0;  // all are NaN
}

// hn::Max and hn::Min return their second operand where either is NaN: the partial result survives there.
template <bool kMaximum>
size_t arg_extreme(const float* x, size_t n) {
  const auto pick = [](VF a, VF b) HWY_ATTR { return kMaximum ? hn::Max(a, b) : hn::Min(a, b); };
  const float start = kMaximum ? -kInfinity : kInfinity;
  VF p0 = set(start), p1 = p0;
  size_t i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    p0 = pick(load(x + i), p0);
    p1 = pick(load(x + i + kLanes), p1);
  }
  float value = fold_lanes(pick(p0, p1), pick);
  for (; i < n; ++i) {
    if (kMaximum ? x[i] > value : x[i] < value) value = x[i];
  }
  return find(x, n, value);
}

}  // namespace

float reduce_row(Reduction op, const float* x, size_t n) {
  return dispatch(op, [&]<Reduction kOp>() { return row<kOp>(x, n); });
}

void reduce_columns(Reduction op, const float* x, size_t rows, size_t stride, size_t width, float* y) {
  dispatch(op, [&]<Reduction kOp>() { columns<kOp>(x, rows, stride, width, y); });
}

size_t arg_maximum(const float* x, size_t n) { return arg_extreme<true>(x, n); }
size_t arg_minimum(const float* x, size_t n) { return arg_extreme<false>(x, n); }

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
