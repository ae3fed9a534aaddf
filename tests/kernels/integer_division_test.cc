// SPDX-License-Identifier: Apache-2.0
#include "kernels/integer_division.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace wasmvino::test::integer_division_test {
namespace {

using kernels::Division;

constexpr Division kDivisions[] = {Division::kTruncated, Division::kFloor, Division::kRemainder,
                                   Division::kFloorRemainder};
constexpr int32_t kLowest = std::numeric_limits<int32_t>::min(),
                  kHighest = std::numeric_limits<int32_t>::max();

int32_t reference(Division op, int64_t a, int64_t b) {
  const int64_t quotient = a / b, remainder = a % b;
  const bool down = remainder != 0 && (remainder < 0) != (b < 0);
  switch (op) {
    case Division::kTruncated:
      return static_cast<int32_t>(quotient);  // wraps
    case Division::kFloor:
      return static_cast<int32_t>(quotient - down);
    case Division::kRemainder:
      return static_cast<int32_t>(remainder);
    default:
      return static_cast<int32_t>(down ? remainder + b : remainder);
  }
}

void check(const std::vector<int32_t>& a, const std::vector<int32_t>& b) {
  for (const Division op : kDivisions) {
    std::vector<int32_t> y(a.size());
    ASSERT_TRUE(kernels::divide(op, a.data(), 1, b.data(), 1, y.data(), y.size()));
    for (size_t i = 0; i < y.size(); ++i) {
      ASSERT_EQ(y[i], reference(op, a[i], b[i])) << a[i] << " / " << b[i] << " " << static_cast<int>(op);
    }
  }
}

TEST(IntegerDivision, EdgesByEdges) {
  std::vector<int32_t> edges = {kLowest,      kLowest + 1,  kLowest / 2, kHighest,
                                kHighest - 1, kHighest / 2, 46340,       46341};
  for (int32_t i = -9; i <= 9; ++i) edges.push_back(i);
  std::vector<int32_t> a, b;
  for (const int32_t x : edges) {
    for (const int32_t y : edges) {
      if (y == 0) continue;
      a.push_back(x);
      b.push_back(y);
    }
  }
  check(a, b);
}

// Dividends next to multiples of the divisor: there, a quotient is nearest to an integer.
TEST(IntegerDivision, NextToMultiples) {
  std::mt19937 random(1);
  std::vector<int32_t> a, b;
  for (size_t i = 0; i < 100'000; ++i) {
    const int32_t divisor = static_cast<int32_t>(random()) >> (random() % 31);
    if (divisor == 0) continue;
    const int64_t multiple = static_cast<int32_t>(random()) / int64_t{divisor} * divisor;
    for (const int64_t x : {multiple - 1, multiple, multiple + 1}) {
      if (x < kLowest || x > kHighest) continue;
      a.push_back(static_cast<int32_t>(x));
      b.push_back(divisor);
    }
  }
  check(a, b);
}

TEST(IntegerDivision, StepsAndLengths) {
  const std::vector<int32_t> a = {-7, 20, 13, -1, 0, 99, -100, 8, 5}, b = {3, -6, 4, 2, 7, -10, 9, 1, -5};
  for (size_t n = 0; n <= a.size(); ++n) {
    for (const Division op : kDivisions) {
      for (const size_t a_step : {0u, 1u}) {
        for (const size_t b_step : {0u, 1u}) {
          std::vector<int32_t> y(n + 1, 1234);
          ASSERT_TRUE(kernels::divide(op, a.data(), a_step, b.data(), b_step, y.data(), n));
          for (size_t i = 0; i < n; ++i) EXPECT_EQ(y[i], reference(op, a[i * a_step], b[i * b_step]));
          EXPECT_EQ(y[n], 1234);
        }
      }
      std::vector<int32_t> in_place = b;
      ASSERT_TRUE(kernels::divide(op, a.data(), 1, in_place.data(), 1, in_place.data(), n));
      for (size_t i = 0; i < n; ++i) EXPECT_EQ(in_place[i], reference(op, a[i], b[i]));
    }
  }
}

TEST(IntegerDivision, FindsZeroDivisors) {
  for (size_t n = 1; n <= 9; ++n) {
    for (size_t place = 0; place < n; ++place) {
      std::vector<int32_t> a(n, 5), b(n, 3), y(n);
      b[place] = 0;
      for (const Division op : kDivisions) {
        EXPECT_FALSE(kernels::divide(op, a.data(), 1, b.data(), 1, y.data(), n));
        EXPECT_EQ(kernels::divide(op, a.data(), 1, b.data(), 0, y.data(), n), place != 0);
      }
    }
  }
}

}  // namespace
}  // namespace wasmvino::test::integer_division_test
