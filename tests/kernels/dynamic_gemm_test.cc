// SPDX-License-Identifier: Apache-2.0
#include "kernels/dynamic_gemm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "tests/kernels/integer_forms.h"
#include "tests/kernels/random.h"

namespace wasmvino::kernels {
namespace {

// A rounding of its own for each operation, whatever the compiler fuses.
float rounded(float value) {
  volatile float stored = value;
  return stored;
}

struct Problem {
  WeightBits bits;
  bool zero_points;  // one for each group and column, or one for all
  size_t m, n, k, group, weight_group;
};

struct Weights {
  std::vector<uint8_t> levels;  // [k][n]
  std::vector<uint8_t> packed;
  std::vector<float> scales;         // [panels][groups][8]
  std::vector<uint8_t> zero_points;  // alike, or empty

  Weights(const Problem& p, uint32_t seed) {
    Random random(seed);
    const size_t width = width_of(p.bits), panels = (p.n + 7) / 8;
    for (size_t i = 0; i < p.k * p.n; ++i)
      levels.push_back(static_cast<uint8_t>(random.integer(0, (1 << width) - 1)));
    for (size_t i = 0; i < panels * (p.k / p.weight_group) * 8; ++i) {
      scales.push_back(0.01f + std::abs(random.real()));
      if (p.zero_points) zero_points.push_back(static_cast<uint8_t>(random.integer(0, (1 << width) - 1)));
    }
    std::vector<uint8_t> stored(p.k * p.n);
    for (size_t i = 0; i < levels.size(); ++i) {
      const size_t each = 8 / width;
      stored[i / each] = static_cast<uint8_t>(stored[i / each] | levels[i] << (i % each * width));
    }
    std::vector<size_t> rows(p.k), columns(p.n);
    for (size_t i = 0; i < p.k; ++i) rows[i] = i * p.n;
    std::iota(columns.begin(), columns.end(), 0);
    packed.resize(quantised_size(p.bits, p.k, p.n));
    pack_quantised(p.bits, false, stored.data(), rows, columns, {0, p.n}, packed.data());
  }

  QuantisedMatrix matrix(const Problem& p) const {
    return {p.bits,
            p.k,
            p.n,
            p.weight_group,
            packed.data(),
            scales.data(),
            zero_points.empty() ? nullptr : zero_points.data(),
            5};
  }
};

// What a row's group becomes.
struct Group {
  std::vector<int> integers;
  float scale;

  Group(const float* x, size_t count) {
    float most = 0;
    for (size_t i = 0; i < count; ++i) most = std::max(most, std::abs(x[i]));
    scale = most / 127;
    const float inverse = 1 / scale;
    for (size_t i = 0; i < count; ++i)
      integers.push_back(most > 0 ? static_cast<int>(std::nearbyint(rounded(x[i] * inverse))) : 0);
  }
};

std::vector<float> reference(const Problem& p, const Weights& w, const std::vector<float>& a) {
  std::vector<float> c(p.m * p.n);
  for (size_t i = 0; i < p.m; ++i) {
    std::vector<Group> groups;
    for (size_t at = 0; at < p.k; at += p.group)
      groups.emplace_back(&a[i * p.k + at], std::min(p.group, p.k - at));
    for (size_t j = 0; j < p.n; ++j) {
      float& sum = c[i * p.n + j];
      for (size_t first = 0; first < p.k; first += p.group) {
        const size_t parameter = (j / 8 * (p.k / p.weight_group) + first / p.weight_group) * 8 + j % 8;
        const int zero = p.zero_points ? w.zero_points[parameter] : 5;
        const Group& group = groups[first / p.group];
        int integer = 0;
        for (size_t at = 0; at < group.integers.size(); ++at)
          integer += group.integers[at] * (w.levels[(first + at) * p.n + j] - zero);
        const float scale = rounded(w.scales[parameter] * group.scale);
        sum = rounded(sum + rounded(static_cast<float>(integer) * scale));
      }
    }
  }
  return c;
}

// Rows quantised, with the memory that they lie in.
struct Quantised {
  std::vector<char> values;
  std::vector<float> scales;
  std::vector<int32_t> sums;
  RowQuantization how;

  Quantised(const Problem& p, IntegerDot dot, const std::vector<float>& a, size_t stride)
      : values(p.m * integer_row_size(dot, p.k)),
        scales(p.m * ((p.k + p.group - 1) / p.group)),
        sums(scales.size()),
        how{dot, p.k, p.group} {
    // In two parts, as threads do.
    for (const Range& part : {Range{0, p.m / 2}, Range{p.m / 2, p.m}})
      quantise_rows(how, a.data(), stride, part, rows());
  }
  QuantisedRows rows() { return {values.data(), scales.data(), sums.data()}; }
};

constexpr float kGuard = -777.0f;

void check(const Problem& p, uint32_t seed) {
  SCOPED_TRACE(testing::Message() << width_of(p.bits) << " bits, " << p.m << "x" << p.n << "x" << p.k
                                  << ", groups of " << p.group << " and " << p.weight_group
                                  << ", zero points " << p.zero_points);
  const Weights w(p, seed);
  std::vector<float> a = random_floats(p.m * p.k, seed + 1);
  // A group of zeros, which has no scale.
  if (p.m > 1) std::fill_n(a.begin() + static_cast<std::ptrdiff_t>(p.k), p.group, 0.0f);
  const std::vector<float> expected = reference(p, w, a), bias = random_floats(p.n, seed + 2),
                           residual = random_floats(p.m * (p.n + 1), seed + 3);
  for (const IntegerDot dot : integer_forms()) {
    const IntegerForm form(dot);
    Quantised rows(p, dot, a, p.k);
    for (const bool dressed : {false, true}) {
      const size_t stride = p.n + 3, half = p.n / 2 / 8 * 8;
      std::vector<float> c(p.m * stride, kGuard);
      DynamicGemm g{rows.how, rows.rows(), c.data(), stride, {}};
      if (dressed) {
        g.epilogue.bias = bias.data();
        g.epilogue.residual = {nullptr, residual.data(), p.n + 1};
        g.epilogue.activate({Unary::kRelu});
      }
      for (const Range& columns : {Range{0, half}, Range{half, p.n}}) {
        for (const Range& some : {Range{0, p.m / 3}, Range{p.m / 3, p.m}})
          dynamic_gemm(g, w.matrix(p), some, columns);
      }
      for (size_t i = 0; i < p.m; ++i) {
        for (size_t j = 0; j < p.n; ++j) {
          float value = expected[i * p.n + j];
          if (dressed) {
            value = rounded(value + bias[j]);
            value = std::max(0.0f, rounded(value + residual[i * (p.n + 1) + j]));
          }
          ASSERT_EQ(c[i * stride + j], value) << "row " << i << ", column " << j;
        }
        for (size_t j = p.n; j < stride; ++j) ASSERT_EQ(c[i * stride + j], kGuard);
      }
    }
  }
}

TEST(DynamicGemm, RowsAndColumns) {
  uint32_t seed = 1;
  for (const WeightBits bits : {WeightBits::kInt4, WeightBits::kInt8}) {
    for (const size_t m : {1, 2, 3, 4, 5, 6, 7, 11, 13}) {
      for (const size_t n : {1, 7, 8, 9, 21, 29, 64, 141}) {
        for (const bool zero_points : {false, true}) check({bits, zero_points, m, n, 96, 32, 32}, ++seed);
      }
    }
  }
}

TEST(DynamicGemm, Groups) {
  uint32_t seed = 1;
  for (const WeightBits bits : {WeightBits::kInt4, WeightBits::kInt8}) {
    for (const bool zero_points : {false, true}) {
      for (const size_t group : {8, 16, 32, 48, 96}) {
        for (const size_t groups : {1, 2, 3}) {
          check({bits, zero_points, 3, 12, 6 * groups * group, group, groups * group}, ++seed);
          // The last group is shorter.
          check({bits, zero_points, 5, 12, groups * group + 8, group, groups * group + 8}, ++seed);
          // One row reads several panels at once.
          check({bits, zero_points, 1, 141, 2 * groups * group, group, groups * group}, ++seed);
        }
      }
    }
  }
}

// The largest products and their sums.
TEST(DynamicGemm, Extremes) {
  for (const WeightBits bits : {WeightBits::kInt4, WeightBits::kInt8}) {
    for (const IntegerDot dot : integer_forms()) {
      const IntegerForm form(dot);
      const Problem p{bits, false, 1, 8, kMostDynamicGroup, kMostDynamicGroup, kMostDynamicGroup};
      Weights w(p, 1);
      std::fill(w.packed.begin(), w.packed.end(), uint8_t{0xFF});
      std::vector<float> a(p.k, -2.0f), c(8);
      a[0] = 2.0f;
      Quantised rows(p, dot, a, p.k);
      dynamic_gemm({rows.how, rows.rows(), c.data(), 8, {}}, w.matrix(p), {0, 1}, {0, 8});
      const int level = bits == WeightBits::kInt4 ? 15 : 255;
      const int sum = -127 * (static_cast<int>(p.k) - 2) * (level - 5);
      for (size_t j = 0; j < 8; ++j)
        ASSERT_EQ(c[j], rounded(static_cast<float>(sum) * rounded(w.scales[j] * rounded(2.0f / 127))));
    }
  }
}

TEST(DynamicGemm, InfinitiesAndTinyNumbers) {
  const Problem p{WeightBits::kInt8, false, 4, 8, 32, 32, 32};
  const Weights w(p, 1);
  std::vector<float> a = random_floats(p.m * p.k, 2);
  a[7] = std::numeric_limits<float>::infinity();
  a[32 + 9] = std::numeric_limits<float>::quiet_NaN();
  for (size_t i = 64; i < 96; ++i) a[i] *= 1e-38f;
  for (const IntegerDot dot : integer_forms()) {
    const IntegerForm form(dot);
    Quantised rows(p, dot, a, p.k);
    std::vector<float> c(p.m * 8);
    dynamic_gemm({rows.how, rows.rows(), c.data(), 8, {}}, w.matrix(p), {0, p.m}, {0, 8});
    for (size_t j = 0; j < 8; ++j) {
      EXPECT_TRUE(std::isnan(c[j]));
      EXPECT_TRUE(std::isnan(c[8 + j]));
      EXPECT_EQ(c[16 + j], 0.0f);
      EXPECT_TRUE(std::isfinite(c[24 + j]));
    }
  }
}

}  // namespace
}  // namespace wasmvino::kernels
