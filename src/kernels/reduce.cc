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

constexpr size_t kBlock = 1024;  // elements per block of a row
constexpr size_t kRows = 128;    // rows per block; the sums of blocks are added up in double
constexpr size_t kColumns = 4 * kLanes;

// How a vector is added to a partial result, and how two partial results are merged.
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

// Four rows at a time are transposed, so that each lane holds one of them: 65,536 rows of 8 took 1.0 ms, 12
// times as long, because their lanes were folded one row after the other.
template <Reduction kOp>
HWY_NOINLINE void short_rows(const float* x, size_t rows, size_t n, float* y) {
  using F = Fold<kOp>;
  for (size_t i = 0; i < rows; i += kLanes, x += kLanes * n) {
    // Missing rows repeat the last one, so that a row's sum does not depend on how rows are split.
    const size_t count = std::min(kLanes, rows - i);
    const float* const x1 = x + std::min<size_t>(1, count - 1) * n;
    const float* const x2 = x + std::min<size_t>(2, count - 1) * n;
    const float* const x3 = x + std::min<size_t>(3, count - 1) * n;
    VF partial = set(F::start());
    size_t j = 0;
    for (; j + kLanes <= n; j += kLanes) {
      VF v[4] = {load(x + j), load(x1 + j), load(x2 + j), load(x3 + j)};
      transpose_4x4(v);
      for (size_t k = 0; k < 4; ++k) partial = F::enter(partial, v[k]);
    }
    alignas(16) float lanes[kLanes];
    for (; j < n; ++j) {
      lanes[0] = x[j];
      lanes[1] = x1[j];
      lanes[2] = x2[j];
      lanes[3] = x3[j];
      partial = F::enter(partial, hn::Load(F32x4(), lanes));
    }
    hn::Store(partial, F32x4(), lanes);
    std::copy_n(lanes, count, y + i);
  }
}

// Computes partial results of kVectors vectors of adjacent columns. Rows are divided into chains, so that
// additions overlap even with few columns.
template <Reduction kOp, size_t kVectors>
HWY_NOINLINE void reduce_rows(const float* x, size_t rows, size_t stride, float* y) {
  using F = Fold<kOp>;
  constexpr size_t kChains = 4 / kVectors;
  VF partial[kChains][kVectors];
  HWY_UNROLL(4)
  for (size_t c = 0; c < kChains; ++c) {
    HWY_UNROLL(4)
    for (size_t v = 0; v < kVectors; ++v) partial[c][v] = set(F::start());
  }
  size_t i = 0;
  HWY_UNROLL(1)
  for (; i + kChains <= rows; i += kChains) {
    HWY_UNROLL(4)
    for (size_t c = 0; c < kChains; ++c, x += stride) {
      HWY_UNROLL(4)
      for (size_t v = 0; v < kVectors; ++v) partial[c][v] = F::enter(partial[c][v], load(x + v * kLanes));
    }
  }
  HWY_UNROLL(1)
  for (; i < rows; ++i, x += stride) {
    HWY_UNROLL(4)
    for (size_t v = 0; v < kVectors; ++v) partial[0][v] = F::enter(partial[0][v], load(x + v * kLanes));
  }
  HWY_UNROLL(4)
  for (size_t v = 0; v < kVectors; ++v) {
    HWY_UNROLL(4)
    for (size_t c = 1; c < kChains; ++c) partial[0][v] = F::merge(partial[0][v], partial[c][v]);
    hn::Store(partial[0][v], F32x4(), y + v * kLanes);
  }
}

// Merges the partial results of two blocks of rows. NaN propagates.
double merge(Reduction op, double a, double b) {
  if (op == Reduction::kProduct) return a * b;
  if (op == Reduction::kMaximum) return a >= b || std::isnan(a) ? a : b;
  if (op == Reduction::kMinimum) return a <= b || std::isnan(a) ? a : b;
  return a + b;
}

// Reduces a single column that cannot be part of a vector.
double reduce_column(Reduction op, const float* x, size_t rows, size_t stride, double start) {
  double total = start;
  for (size_t i = 0; i < rows; ++i) {
    const double value = x[i * stride];
    total = merge(op, total,
                  op == Reduction::kSumOfSquares      ? value * value
                  : op == Reduction::kSumOfMagnitudes ? std::abs(value)
                                                      : value);
  }
  return total;
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

// Finds the index of the extreme, which was computed first, by vectors. The index is usually near, and no
// indices need to be compared.
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
  return 0;  // all elements are NaN
}

// hn::Max and hn::Min return their second operand if either is NaN. The partial result is that operand, so it
// survives.
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

void reduce_short_rows(Reduction op, const float* x, size_t rows, size_t n, float* y) {
  dispatch(op, [&]<Reduction kOp>() { short_rows<kOp>(x, rows, n, y); });
}

void reduce_columns(Reduction op, const float* x, size_t rows, size_t stride, size_t width, float* y) {
  struct Form {
    void (*wide)(const float*, size_t, size_t, float*);
    void (*narrow)(const float*, size_t, size_t, float*);
    float start;
  };
  const Form form = dispatch(
      op, []<Reduction kOp>() { return Form{reduce_rows<kOp, 4>, reduce_rows<kOp, 1>, Fold<kOp>::start()}; });
  if (width < kLanes) {
    for (size_t j = 0; j < width; ++j) {
      y[j] = static_cast<float>(reduce_column(op, x + j, rows, stride, form.start));
    }
    return;
  }
  for (size_t next = 0; next < width;) {
    const bool wide = width - next >= kColumns;
    const size_t count = wide ? kColumns : kLanes;
    // The last columns are computed twice rather than as a partial vector.
    const size_t first = std::min(next, width - kLanes);
    alignas(16) float part[kColumns];
    double total[kColumns];
    std::fill_n(total, count, form.start);
    for (size_t row = 0; row < rows; row += kRows) {
      (wide ? form.wide : form.narrow)(x + row * stride + first, std::min(kRows, rows - row), stride, part);
      for (size_t j = 0; j < count; ++j) total[j] = merge(op, total[j], part[j]);
    }
    for (size_t j = 0; j < count; ++j) y[first + j] = static_cast<float>(total[j]);
    next = first + count;
  }
}

size_t arg_maximum(const float* x, size_t n) { return arg_extreme<true>(x, n); }
size_t arg_minimum(const float* x, size_t n) { return arg_extreme<false>(x, n); }

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
