// SPDX-License-Identifier: Apache-2.0
#include "kernels/cache_rows.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "kernels/integer-inl.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

constexpr size_t kEight = 2 * kLanes;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

float sum_of(VF v) {
  alignas(16) float lanes[kLanes];
  hn::Store(v, F32x4(), lanes);
  return lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

struct Extent {
  float least, greatest;
  bool is_finite;
};

Extent extent_of(const float* x, size_t width) {
  VF least = set(kInfinity), greatest = set(-kInfinity), zeros = zero();
  size_t i = 0;
  for (; i + kLanes <= width; i += kLanes) {
    const VF v = load(x + i);
    least = hn::Min(least, v);
    greatest = hn::Max(greatest, v);
    zeros = hn::Add(zeros, hn::Mul(v, zero()));  // NaN if v is not finite
  }
  alignas(16) float lows[kLanes], highs[kLanes];
  hn::Store(least, F32x4(), lows);
  hn::Store(greatest, F32x4(), highs);
  Extent all = {*std::min_element(lows, lows + kLanes), *std::max_element(highs, highs + kLanes), true};
  float sum = sum_of(zeros);
  for (; i < width; ++i) {
    all.least = std::min(all.least, x[i]);
    all.greatest = std::max(all.greatest, x[i]);
    sum += x[i] * 0.0f;
  }
  all.is_finite = sum == 0.0f && all.greatest - all.least < kInfinity;
  return all;
}

// A level is (x - least) * inverse, an element level * step + least.
struct RowScale {
  float step, least, inverse;
};

RowScale scale_of(const Extent& extent) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  if (!extent.is_finite) return {kNaN, kNaN, 0.0f};
  if (extent.greatest < extent.least) return {0.0f, 0.0f, 0.0f};  // no elements
  const float range = extent.greatest - extent.least;
  const float inverse = 255.0f / range;
  // Equal elements, or a range so small that it has no inverse, need one level only.
  if (!(inverse < kInfinity)) return {0.0f, extent.least, 0.0f};
  return {range / 255.0f, extent.least, inverse};
}

void quantise_row(const float* x, size_t width, uint8_t* to) {
  const RowScale scale = scale_of(extent_of(x, width));
  const VF factor = set(scale.inverse), least = set(scale.least), most = constant<255.0f>();
  const auto levels = [&](const float* from) HWY_ATTR {
    return round_saturating(clamp_level(hn::Mul(hn::Sub(load(from), least), factor), zero(), most));
  };
  size_t i = 0;
  for (; i + kEight <= width; i += kEight) store_bytes(levels(x + i), levels(x + i + kLanes), to + i, kEight);
  if (i < width) {
    const Part<float> part(x + i, width - i);
    store_bytes(levels(part.values), levels(part.values + kLanes), to + i, width - i);
  }
  const float numbers[2] = {scale.step, scale.least};
  std::memcpy(to + width, numbers, sizeof(numbers));
}

}  // namespace

void quantise_cache_rows(const float* from, size_t rows, size_t width, uint8_t* to) {
  for (size_t row = 0; row < rows; ++row, from += width, to += width + kCacheRowExtra)
    quantise_row(from, width, to);
}

void dequantise_cache_rows(const uint8_t* from, size_t stride, size_t rows, size_t width, float* to) {
  for (size_t row = 0; row < rows; ++row, from += stride, to += width) {
    float numbers[2];
    std::memcpy(numbers, from + width, sizeof(numbers));
    const VF scale = set(numbers[0]), least = set(numbers[1]);
    size_t i = 0;
    for (; i + kEight <= width; i += kEight) {
      const FloatPair v = load_bytes(from + i);
      store(mul_add(v.first, scale, least), to + i);
      store(mul_add(v.second, scale, least), to + i + kLanes);
    }
    for (; i < width; ++i) to[i] = static_cast<float>(from[i]) * numbers[0] + numbers[1];
  }
}

void multiply_cache_rows(const FewQueries& query, const uint8_t* keys, size_t stride, size_t count,
                         size_t width, float* c, size_t c_stride) {
  // Rows that do not exist repeat the last one.
  const float* rows[kFewQueries];
  for (size_t r = 0; r < kFewQueries; ++r) rows[r] = query.data + std::min(r, query.count - 1) * query.stride;
  alignas(16) float sums[kFewQueries];
  for (size_t r = 0; r < kFewQueries; ++r) {
    VF all = zero();
    size_t i = 0;
    for (; i + kLanes <= width; i += kLanes) all = hn::Add(all, load(rows[r] + i));
    sums[r] = sum_of(all);
    for (; i < width; ++i) sums[r] += rows[r][i];
  }
  const VF query_sums = hn::Load(F32x4(), sums);
  const size_t whole = width / kEight * kEight;
  for (size_t key = 0; key < count; ++key, keys += stride) {
    VF products[kFewQueries] = {zero(), zero(), zero(), zero()};
    for (size_t i = 0; i < whole; i += kEight) {
      const FloatPair levels = load_bytes(keys + i);
      HWY_UNROLL(4)
      for (size_t r = 0; r < kFewQueries; ++r) {
        products[r] = mul_add(load(rows[r] + i), levels.first, products[r]);
        products[r] = mul_add(load(rows[r] + i + kLanes), levels.second, products[r]);
      }
    }
    transpose_4x4(products);
    VF all = hn::Add(hn::Add(products[0], products[1]), hn::Add(products[2], products[3]));
    for (size_t i = whole; i < width; ++i) {
      const float level = keys[i];
      alignas(16) const float column[kFewQueries] = {rows[0][i], rows[1][i], rows[2][i], rows[3][i]};
      all = mul_add(hn::Load(F32x4(), column), set(level), all);
    }
    float numbers[2];
    std::memcpy(numbers, keys + width, sizeof(numbers));
    hn::Store(mul_add(all, set(numbers[0]), hn::Mul(query_sums, set(numbers[1]))), F32x4(), sums);
    for (size_t r = 0; r < query.count; ++r) c[r * c_stride + key] = sums[r];
  }
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
