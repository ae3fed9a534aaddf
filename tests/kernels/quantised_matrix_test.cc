// SPDX-License-Identifier: Apache-2.0
#include "kernels/quantised_matrix.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/float_types.h"
#include "tests/kernels/random.h"

namespace wasmvino::kernels {
namespace {

// Weights as a model stores them, and what they stand for.
struct Weights {
  WeightBits bits;
  bool is_signed;
  size_t k, n, group;
  bool by_rows;  // element (p, j) stands at j * k + p rather than p * n + j
  std::vector<uint8_t> raw;
  std::vector<float> scales;         // [panels][groups][8]
  std::vector<uint8_t> zero_points;  // alike; empty: zero_point
  float zero_point = 0;
  std::vector<float> values;  // [k][n]
  std::vector<float> row_scales = {}, row_zero_points = {}, table = {};

  size_t place(size_t p, size_t j) const { return by_rows ? j * k + p : p * n + j; }
};

float random_half(Random& random, bool bf16, uint16_t* bits) {
  // Denormals, zeros and large values among the others.
  const float magnitude = std::ldexp(1.0f, static_cast<int>(random.integer(-24, 3)));
  const float value = random.integer(0, 20) == 0 ? 0.0f : random.real() * magnitude;
  *bits = bf16 ? f32_to_bf16(value) : f32_to_f16(value);
  return bf16 ? bf16_to_f32(*bits) : f16_to_f32(*bits);
}

// Codes and floating point have scales where `zero_points` is set, codes and integers zero points.
Weights make_weights(WeightBits bits, bool is_signed, bool zero_points, size_t k, size_t n, size_t group,
                     bool by_rows, uint32_t seed) {
  Random random(seed);
  Weights w{bits, is_signed, k, n, group, by_rows, {}, {}, {}, 0, std::vector<float>(k * n)};
  const size_t groups = group == 0 ? 1 : (k + group - 1) / group, panels = (n + 7) / 8;
  const auto width = static_cast<unsigned>(width_of(bits));
  const bool is_table =
      bits == WeightBits::kCode2 || bits == WeightBits::kCode4 || bits == WeightBits::kCode8;
  const bool is_integer = width < 16 && !is_table;
  const int levels = 1 << std::min(width, 8u);
  if (is_table) w.is_signed = is_signed = false;
  const int shift = is_signed ? levels / 2 : 0;
  if (is_table) w.table = random_floats(static_cast<size_t>(levels), seed + 1);
  if (is_integer || zero_points) {
    w.zero_point = static_cast<float>(is_signed ? shift : random.integer(0, levels - 1));
    for (size_t i = 0; i < panels * groups * 8; ++i) {
      w.scales.push_back(0.01f + std::abs(random.real()));
      if (width < 16 && zero_points)
        w.zero_points.push_back(static_cast<uint8_t>(random.integer(0, levels - 1)));
    }
  }
  if (is_integer && seed % 3 == 2) {
    w.row_zero_points = random_floats(k, seed + 3);
    for (float& zero : w.row_zero_points) zero = std::nearbyint(4 * zero);
  }
  w.raw.assign(k * n * 2 + 1, 0);
  for (size_t p = 0; p < k; ++p) {
    for (size_t j = 0; j < n; ++j) {
      const size_t at = w.place(p, j);
      float& value = w.values[p * n + j];
      const size_t parameter = (j / 8 * groups + p / group) * 8 + j % 8;
      if (width == 16) {
        uint16_t half;
        value = random_half(random, bits == WeightBits::kBf16, &half);
        if (zero_points) value *= w.scales[parameter];
        reinterpret_cast<uint16_t*>(w.raw.data())[at] = half;
        continue;
      }
      const int level = static_cast<int>(random.integer(0, levels - 1));
      const int stored = is_signed ? level - shift : level;
      const size_t each = 8 / width;
      const unsigned field = static_cast<unsigned>(stored) & ((1u << width) - 1);
      w.raw[at / each] = static_cast<uint8_t>(w.raw[at / each] | field << (at % each * width));
      const float zero = !w.row_zero_points.empty() ? w.row_zero_points[p]
                         : zero_points              ? static_cast<float>(w.zero_points[parameter])
                                                    : w.zero_point;
      value = (is_table ? w.table[static_cast<size_t>(level)] : static_cast<float>(level)) - zero;
      if (!w.scales.empty()) value *= w.scales[parameter];
    }
  }
  if (seed % 4 == 1) {
    w.row_scales = random_floats(k, seed + 2);
    for (size_t i = 0; i < k * n; ++i) w.values[i] *= w.row_scales[i / n];
  }
  return w;
}

constexpr float kGuard = -777.0f;
constexpr WeightBits kAllBits[] = {WeightBits::kCode2,    WeightBits::kInt4,  WeightBits::kInt8,
                                   WeightBits::kCode4,    WeightBits::kCode8, WeightBits::kF16,
                                   WeightBits::kSmallF16, WeightBits::kBf16};

void check(const Weights& w, const std::vector<size_t>& heights) {
  const size_t k = w.k, n = w.n, panels = (n + 7) / 8;
  SCOPED_TRACE(testing::Message() << "bits " << static_cast<int>(w.bits) << (w.is_signed ? " signed " : " ")
                                  << n << " columns, depth " << k << ", groups of " << w.group << ", by rows "
                                  << w.by_rows << ", zero points " << w.zero_points.size() << ", row scales "
                                  << w.row_scales.size() << ", row zero points " << w.row_zero_points.size());
  std::vector<uint8_t> packed(quantised_size(w.bits, k, n), 0xA5);
  const size_t half = n / 2 / 8 * 8;
  for (const Range& part : {Range{half, n}, Range{0, half}}) {
    std::vector<size_t> rows(k), places(n);
    for (size_t p = 0; p < k; ++p) rows[p] = w.place(p, 0);
    for (size_t j = 0; j < n; ++j) places[j] = w.place(0, j);
    pack_quantised(w.bits, w.is_signed, w.raw.data(), rows, places, part, packed.data());
  }
  const QuantisedMatrix b{w.bits,
                          k,
                          n,
                          w.group,
                          packed.data(),
                          w.scales.empty() ? nullptr : w.scales.data(),
                          w.zero_points.empty() ? nullptr : w.zero_points.data(),
                          w.zero_point,
                          w.row_scales.empty() ? nullptr : w.row_scales.data(),
                          w.row_zero_points.empty() ? nullptr : w.row_zero_points.data(),
                          w.table.data()};

  // Expanded, from some row on.
  for (size_t first = 0; first <= k; first += 28) {
    const size_t depth = (k - first + 3) / 4 * 4;
    std::vector<float> expanded(panels * depth * 8 + 1, kGuard);
    expand(b, {first, k}, {0, n}, expanded.data());
    EXPECT_EQ(expanded.back(), kGuard);
    for (size_t p = first; p < k; ++p) {
      for (size_t j = 0; j < n; ++j) {
        ASSERT_EQ(expanded[j / 8 * depth * 8 + (p - first) * 8 + j % 8], w.values[p * n + j])
            << p << ", " << j;
      }
    }
  }

  for (const size_t m : heights) {
    std::vector<float> scratch(block_scratch_size(m) + 1, kGuard);
    for (const bool dressed : {false, true}) {
      const std::vector<float> a = random_floats(m * (k + 3), 5), bias = random_floats(n, 6),
                               residual = random_floats(m * (n + 3), 7);
      std::vector<float> c(m * (n + 3), kGuard);
      Gemm g{m, n, k, a.data(), k + 3, 1, c.data(), n + 3, {}};
      if (dressed) {
        g.epilogue.bias = bias.data();
        g.epilogue.residual = {nullptr, residual.data(), n + 3};
        g.epilogue.activate({Unary::kRelu});
      }
      for (const Range& columns : {Range{0, half}, Range{half, n}}) {
        gemm(g, b, scratch.data(), {0, m}, columns);
      }
      EXPECT_EQ(scratch.back(), kGuard);
      for (size_t i = 0; i < m; ++i) {
        for (size_t j = 0; j < n; ++j) {
          double sum = dressed ? bias[j] + residual[i * (n + 3) + j] : 0, magnitude = std::abs(sum);
          for (size_t p = 0; p < k; ++p) {
            const double product = static_cast<double>(a[i * (k + 3) + p]) * w.values[p * n + j];
            sum += product;
            magnitude += std::abs(product);
          }
          if (dressed) sum = std::max(sum, 0.0);
          ASSERT_NEAR(c[i * (n + 3) + j], sum, 1e-6 * magnitude + 1e-12)
              << m << " rows, at " << i << ", " << j;
        }
        for (size_t j = n; j < n + 3; ++j) ASSERT_EQ(c[i * (n + 3) + j], kGuard) << "wrote behind row " << i;
      }
    }
  }
}

TEST(Quantised, AllSmallShapes) {
  uint32_t seed = 1;
  for (const WeightBits bits : kAllBits) {
    for (const size_t n : {0, 1, 3, 7, 8, 9, 17, 33, 41}) {
      for (const size_t k : {0, 1, 2, 3, 4, 5, 8, 17, 31}) {
        for (const bool by_rows : {false, true}) {
          check(make_weights(bits, seed % 2 == 0, seed % 3 == 0, k, n, k, by_rows, seed), {0, 1, 2, 7});
          ++seed;
        }
      }
    }
  }
}

TEST(Quantised, Groups) {
  uint32_t seed = 1;
  for (const WeightBits bits : kAllBits) {
    for (const size_t group : {1, 2, 4, 7, 12, 32, 128}) {
      for (const size_t groups : {1, 2, 5}) {
        for (const bool by_rows : {false, true}) {
          for (const bool zero_points : {false, true}) {
            check(make_weights(bits, seed % 2 == 0, zero_points, group * groups, 21, group, by_rows, seed),
                  {1, 3});
            ++seed;
          }
        }
      }
    }
  }
}

TEST(Quantised, DeepAndWide) {
  check(make_weights(WeightBits::kInt4, false, true, 1024, 270, 96, true, 1), {1, 2, 13});
  check(make_weights(WeightBits::kInt8, true, false, 515, 300, 515, true, 2), {1, 6, 25});
  check(make_weights(WeightBits::kSmallF16, false, false, 771, 290, 771, false, 3), {1, 5, 12});
}

// Every number of less than 128 is what it was, to the sign of zero.
TEST(Quantised, SmallF16) {
  std::vector<uint16_t> f16_bits;
  for (uint32_t bits = 0; bits < 0x5800; ++bits) {
    f16_bits.push_back(static_cast<uint16_t>(bits));
    f16_bits.push_back(static_cast<uint16_t>(bits | 0x8000));
  }
  EXPECT_TRUE(are_small_f16(f16_bits.data(), f16_bits.size()));
  for (const uint16_t large : {0x5800, 0xD800, 0x7C00, 0xFE00}) EXPECT_FALSE(are_small_f16(&large, 1));
  const size_t n = 8, k = f16_bits.size() / n;
  std::vector<uint8_t> packed(quantised_size(WeightBits::kSmallF16, k, n));
  std::vector<size_t> rows(k), columns(n);
  for (size_t p = 0; p < k; ++p) rows[p] = p * n;
  std::iota(columns.begin(), columns.end(), 0);
  pack_quantised(WeightBits::kSmallF16, false, f16_bits.data(), rows, columns, {0, n}, packed.data());
  std::vector<float> expanded(k * n);
  expand({WeightBits::kSmallF16, k, n, k, packed.data(), nullptr, nullptr, 0}, {0, k}, {0, n},
         expanded.data());
  for (size_t i = 0; i < f16_bits.size(); ++i) {
    ASSERT_EQ(std::bit_cast<uint32_t>(expanded[i]), std::bit_cast<uint32_t>(f16_to_f32(f16_bits[i])))
        << f16_bits[i];
  }
}

TEST(Quantised, TransposedRowsAndInfinities) {
  const uint16_t f16_bits[] = {0x7C00, 0xFC00, 0x7E00, 0x3C00, 0x0001};
  std::vector<uint8_t> packed(quantised_size(WeightBits::kF16, 1, 5));
  const size_t row = 0, columns[] = {0, 1, 2, 3, 4};
  pack_quantised(WeightBits::kF16, false, f16_bits, {&row, 1}, columns, {0, 5}, packed.data());
  const QuantisedMatrix b{WeightBits::kF16, 1, 5, 1, packed.data(), nullptr, nullptr, 0};
  const float a[] = {2, 3};
  float c[10];
  std::vector<float> scratch(block_scratch_size(2));
  gemm({2, 5, 1, a, 1, 2, c, 5, {}}, b, scratch.data(), {0, 2}, {0, 5});
  for (size_t i = 0; i < 2; ++i) {
    const float* row = c + 5 * i;
    EXPECT_EQ(row[0], std::numeric_limits<float>::infinity());
    EXPECT_EQ(row[1], -std::numeric_limits<float>::infinity());
    EXPECT_TRUE(std::isnan(row[2]));
    EXPECT_EQ(row[3], a[i]);
    EXPECT_EQ(row[4], a[i] * 0x1p-24f);
  }
}

}  // namespace
}  // namespace wasmvino::kernels
