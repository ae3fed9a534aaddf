// SPDX-License-Identifier: Apache-2.0
#include "kernels/best_rows.h"

#include "core/nan.h"
#include "kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

// Lanes in which a is better than b, as an element that comes later.
template <bool kSmallest>
HWY_INLINE MF is_better(VF a, VF b) {
  if constexpr (kSmallest) return hn::Or(hn::Lt(a, b), hn::And(hn::IsNaN(b), hn::Eq(a, a)));
  return hn::Or(hn::Gt(a, b), hn::And(hn::IsNaN(a), hn::Eq(b, b)));
}

bool is_better(float a, float b, bool smallest) {
  if (is_nan(a) || is_nan(b)) return is_nan(smallest ? b : a) && !is_nan(smallest ? a : b);
  return smallest ? a < b : a > b;
}

// Four vectors are a cache line of each row.
template <bool kSmallest, size_t kVectors, typename Load>
HWY_INLINE void find(size_t rows, const Load& load_row, VF (&best)[kVectors], VI (&places)[kVectors]) {
  load_row(size_t{0}, best);
  for (VI& place : places) place = hn::Zero(I32x4());
  VI index = hn::Set(I32x4(), 1);
  for (size_t row = 1; row < rows; ++row, index = hn::Add(index, hn::Set(I32x4(), 1))) {
    VF x[kVectors];
    load_row(row, x);
    HWY_UNROLL(4)
    for (size_t v = 0; v < kVectors; ++v) {
      const MF better = is_better<kSmallest>(x[v], best[v]);
      best[v] = hn::IfThenElse(better, x[v], best[v]);
      places[v] = hn::IfThenElse(hn::RebindMask(I32x4(), better), index, places[v]);
    }
  }
}

template <bool kSmallest>
void find_all(const float* x, size_t rows, size_t stride, size_t columns, float* values, int32_t* indices) {
  constexpr size_t kVectors = 4, kBlock = kVectors * kLanes;
  size_t column = 0;
  for (; column + kBlock <= columns; column += kBlock) {
    VF best[kVectors];
    VI places[kVectors];
    const auto load_row = [&](size_t row, VF(&to)[kVectors]) HWY_ATTR {
      HWY_UNROLL(4)
      for (size_t v = 0; v < kVectors; ++v) to[v] = load(x + row * stride + column + v * kLanes);
    };
    find<kSmallest>(rows, load_row, best, places);
    HWY_UNROLL(4)
    for (size_t v = 0; v < kVectors; ++v) {
      store(best[v], values + column + v * kLanes);
      hn::StoreU(places[v], I32x4(), indices + column + v * kLanes);
    }
  }
  for (; column < columns; column += kLanes) {
    const size_t count = columns - column < kLanes ? columns - column : kLanes;
    VF best[1];
    VI places[1];
    const auto load_row = [&](size_t row, VF(&to)[1]) HWY_ATTR {
      const float* from = x + row * stride + column;
      to[0] = load_lanes(from, count);
    };
    find<kSmallest>(rows, load_row, best, places);
    alignas(16) float best_lanes[kLanes];
    alignas(16) int32_t place_lanes[kLanes];
    hn::Store(best[0], F32x4(), best_lanes);
    hn::Store(places[0], I32x4(), place_lanes);
    for (size_t i = 0; i < count; ++i) {
      values[column + i] = best_lanes[i];
      indices[column + i] = place_lanes[i];
    }
  }
}

template <bool kSmallest>
size_t next(const float* x, size_t begin, size_t count, float bound) {
  const VF b = set(bound);
  size_t i = begin;
  for (; i + 4 * kLanes <= count; i += 4 * kLanes) {
    const MF better =
        hn::Or(hn::Or(is_better<kSmallest>(load(x + i), b), is_better<kSmallest>(load(x + i + kLanes), b)),
               hn::Or(is_better<kSmallest>(load(x + i + 2 * kLanes), b),
                      is_better<kSmallest>(load(x + i + 3 * kLanes), b)));
    if (!hn::AllFalse(F32x4(), better)) break;
  }
  while (i < count && !is_better(x[i], bound, kSmallest)) ++i;
  return i;
}

}  // namespace

void best_rows(const float* x, size_t rows, size_t stride, size_t columns, bool smallest, float* values,
               int32_t* indices) {
  (smallest ? find_all<true> : find_all<false>)(x, rows, stride, columns, values, indices);
}

size_t best_element(const float* x, size_t count, bool smallest) {
  // The best of every 16th element, then the best of these and of the rest.
  constexpr size_t kColumns = 4 * kLanes;
  const size_t rows = count / kColumns;
  float values[kColumns];
  int32_t places[kColumns];
  size_t best = 0;
  if (rows > 0) {
    best_rows(x, rows, kColumns, kColumns, smallest, values, places);
    best = static_cast<size_t>(places[0]) * kColumns;
    for (size_t column = 1; column < kColumns; ++column) {
      const size_t place = static_cast<size_t>(places[column]) * kColumns + column;
      if (is_better(x[place], x[best], smallest) || (place < best && !is_better(x[best], x[place], smallest)))
        best = place;
    }
  }
  for (size_t i = rows > 0 ? rows * kColumns : 1; i < count; ++i) {
    if (is_better(x[i], x[best], smallest)) best = i;
  }
  return best;
}

size_t next_better(const float* x, size_t begin, size_t count, float bound, bool smallest) {
  return (smallest ? next<true> : next<false>)(x, begin, count, bound);
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
