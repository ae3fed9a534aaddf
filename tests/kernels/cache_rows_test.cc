// SPDX-License-Identifier: Apache-2.0
#include "kernels/cache_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "tests/kernels/random.h"

namespace wasmvino::kernels {
namespace {

constexpr size_t kWidths[] = {1, 3, 4, 7, 8, 9, 16, 64, 65, 100};

// The levels and numbers of a row by their definition.
TEST(CacheRows, Quantise) {
  for (const size_t width : kWidths) {
    const size_t rows = 3, stride = width + kCacheRowExtra;
    std::vector<float> x = random_floats(rows * width, static_cast<uint32_t>(width));
    for (size_t i = 0; i < width; ++i) x[width + i] = x[width + i] * 1e-3f + 100;
    std::vector<uint8_t> packed(rows * stride + 1, 0xAB);
    quantise_cache_rows(x.data(), rows, width, packed.data());
    EXPECT_EQ(packed.back(), 0xAB);
    for (size_t r = 0; r < rows; ++r) {
      const float* row = &x[r * width];
      const auto [least, greatest] = std::minmax_element(row, row + width);
      float numbers[2];
      std::memcpy(numbers, &packed[r * stride + width], sizeof(numbers));
      EXPECT_EQ(numbers[0], (*greatest - *least) / 255.0f);
      EXPECT_EQ(numbers[1], *least);
      const float inverse = *greatest > *least ? 255.0f / (*greatest - *least) : 0.0f;
      for (size_t i = 0; i < width; ++i)
        ASSERT_EQ(packed[r * stride + i], std::nearbyint((row[i] - *least) * inverse)) << width << ' ' << i;
    }
  }
}

TEST(CacheRows, Dequantise) {
  for (const size_t width : kWidths) {
    const size_t rows = 3, stride = width + kCacheRowExtra + 5;
    std::vector<uint8_t> packed(rows * stride);
    for (size_t i = 0; i < packed.size(); ++i) packed[i] = static_cast<uint8_t>(i * 37);
    for (size_t r = 0; r < rows; ++r) {
      const float numbers[2] = {0.25f * static_cast<float>(r), -3.0f};  // products and sums are exact
      std::memcpy(&packed[r * stride + width], numbers, sizeof(numbers));
    }
    std::vector<float> x(rows * width + 1, 7.0f);
    dequantise_cache_rows(packed.data(), stride, rows, width, x.data());
    EXPECT_EQ(x.back(), 7.0f);
    for (size_t r = 0; r < rows; ++r) {
      for (size_t i = 0; i < width; ++i)
        ASSERT_EQ(x[r * width + i],
                  static_cast<float>(packed[r * stride + i]) * 0.25f * static_cast<float>(r) - 3);
    }
  }
}

TEST(CacheRows, Multiply) {
  for (const size_t width : kWidths) {
    for (size_t queries = 1; queries <= kFewQueries; ++queries) {
      const size_t count = 5, stride = width + kCacheRowExtra + 3, step = width + 2;
      const std::vector<float> query = random_floats(queries * step, static_cast<uint32_t>(width));
      std::vector<uint8_t> keys(count * stride);
      std::vector<float> expanded(count * width);
      for (size_t j = 0; j < count; ++j) {
        const std::vector<float> row = random_floats(width, static_cast<uint32_t>(100 + j));
        quantise_cache_rows(row.data(), 1, width, &keys[j * stride]);
      }
      dequantise_cache_rows(keys.data(), stride, count, width, expanded.data());
      std::vector<float> c(queries * (count + 1), 7.0f);
      multiply_cache_rows({query.data(), queries, step}, keys.data(), stride, count, width, c.data(),
                          count + 1);
      for (size_t i = 0; i < queries; ++i) {
        EXPECT_EQ(c[i * (count + 1) + count], 7.0f);
        for (size_t j = 0; j < count; ++j) {
          double sum = 0, magnitude = 1e-6;
          for (size_t p = 0; p < width; ++p) {
            const double product =
                static_cast<double>(query[i * step + p]) * static_cast<double>(expanded[j * width + p]);
            sum += product;
            magnitude += std::abs(product);
          }
          // Levels and the least element are summed apart, which costs a few digits.
          ASSERT_NEAR(c[i * (count + 1) + j], sum, 2e-6 * (magnitude + static_cast<double>(width)));
        }
      }
    }
  }
}

// Keys without elements have products of 0.
TEST(CacheRows, NoWidth) {
  std::vector<uint8_t> keys(kCacheRowExtra, 0xFF);
  quantise_cache_rows(nullptr, 1, 0, keys.data());
  float query = 0, c = 7;
  multiply_cache_rows({&query, 1, 0}, keys.data(), kCacheRowExtra, 1, 0, &c, 1);
  EXPECT_EQ(c, 0.0f);
}

// Rows of equal elements stay exact, whatever their magnitude. What is not finite becomes NaN.
TEST(CacheRows, SpecialRows) {
  constexpr float kMost = std::numeric_limits<float>::max(),
                  kInfinite = std::numeric_limits<float>::infinity();
  constexpr size_t kWidth = 9;
  const auto round_trip = [](const std::vector<float>& row) {
    std::vector<uint8_t> packed(kWidth + kCacheRowExtra);
    std::vector<float> back(kWidth);
    quantise_cache_rows(row.data(), 1, kWidth, packed.data());
    dequantise_cache_rows(packed.data(), packed.size(), 1, kWidth, back.data());
    return back;
  };
  for (const float value : {0.0f, -0.375f, 1e30f, kMost, 1e-40f}) {
    const std::vector<float> row(kWidth, value);
    EXPECT_EQ(round_trip(row), row) << value;
  }
  for (const size_t place : {size_t{2}, kWidth - 1}) {
    for (const float value : {kInfinite, -kInfinite, std::nanf("")}) {
      std::vector<float> row(kWidth, 0.5f);
      row[place] = value;
      for (const float element : round_trip(row)) EXPECT_TRUE(std::isnan(element));
    }
  }
  // The range is not finite, or has no inverse.
  std::vector<float> wide(kWidth, kMost), narrow(kWidth, 0.0f);
  wide[3] = -kMost;
  for (const float element : round_trip(wide)) EXPECT_TRUE(std::isnan(element));
  narrow[3] = std::numeric_limits<float>::denorm_min();
  for (const float element : round_trip(narrow)) EXPECT_LE(std::abs(element), 1e-40f);
}

}  // namespace
}  // namespace wasmvino::kernels
