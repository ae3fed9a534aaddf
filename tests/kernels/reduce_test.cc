// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/normalize.h"
#include "kernels/softmax.h"
#include "tests/kernels/random.h"

namespace wasmvino::kernels {
namespace {

constexpr size_t kSizes[] = {0,  1,  2,  3,  4,  5,  7,  8,   9,    15,   16,   17,
                             31, 32, 33, 63, 64, 65, 67, 130, 1023, 1024, 1025, 5003};
constexpr Reduction kReductions[] = {
    Reduction::kSum,     Reduction::kProduct,         Reduction::kMaximum,
    Reduction::kMinimum, Reduction::kSumOfMagnitudes, Reduction::kSumOfSquares};
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

double reference(Reduction op, const float* x, size_t n, size_t stride = 1) {
  double y = op == Reduction::kProduct   ? 1
             : op == Reduction::kMaximum ? -kInf
             : op == Reduction::kMinimum ? kInf
                                         : 0;
  for (size_t i = 0; i < n; ++i) {
    const double v = x[i * stride];
    switch (op) {
      case Reduction::kSum:
        y += v;
        break;
      case Reduction::kProduct:
        y *= v;
        break;
      case Reduction::kMaximum:
        y = std::isnan(v) || std::isnan(y) ? kNan : std::max(y, v);
        break;
      case Reduction::kMinimum:
        y = std::isnan(v) || std::isnan(y) ? kNan : std::min(y, v);
        break;
      case Reduction::kSumOfMagnitudes:
        y += std::abs(v);
        break;
      case Reduction::kSumOfSquares:
        y += v * v;
        break;
    }
  }
  return y;
}

// Sums of n numbers up to 1: the error of the partial sums, not of n additions in a row.
double tolerance(Reduction op, double expected, size_t n) {
  if (op == Reduction::kProduct) return std::abs(expected) * 1e-7 * static_cast<double>(n + 1);
  return op == Reduction::kMaximum || op == Reduction::kMinimum ? 0 : 4e-6 + std::abs(expected) * 1e-6;
}

// Near 1 in magnitude for products, so that they neither vanish nor overflow.
std::vector<float> data_for(Reduction op, size_t n) {
  std::vector<float> x = random_floats(n, 7);
  if (op == Reduction::kProduct) {
    for (float& v : x) v = 1.0f + v * 0.01f;
  }
  return x;
}

TEST(Reduce, Rows) {
  for (const Reduction op : kReductions) {
    for (size_t n : kSizes) {
      const std::vector<float> x = data_for(op, n + 1);
      const double expected = reference(op, x.data() + 1, n);
      const float actual = reduce_row(op, x.data() + 1, n);
      if (std::isinf(expected)) {
        EXPECT_EQ(actual, expected);
      } else {
        EXPECT_NEAR(actual, expected, tolerance(op, expected, n))
            << "op " << static_cast<int>(op) << ", n " << n;
      }
    }
  }
}

TEST(Reduce, ShortRows) {
  for (const Reduction op : kReductions) {
    for (size_t rows : {0, 1, 3, 4, 5, 8, 11}) {
      for (size_t n : {1, 2, 3, 4, 5, 8, 13, 16, 31}) {
        const std::vector<float> x = data_for(op, rows * n + 1);
        std::vector<float> y(rows + 2, 99);
        reduce_short_rows(op, x.data() + 1, rows, n, y.data() + 1);
        for (size_t i = 0; i < rows; ++i) {
          const double expected = reference(op, x.data() + 1 + i * n, n);
          EXPECT_NEAR(y[i + 1], expected, tolerance(op, expected, n))
              << "op " << static_cast<int>(op) << ", " << rows << " x " << n << " at " << i;
        }
        EXPECT_EQ(y.front(), 99);
        EXPECT_EQ(y.back(), 99);
      }
    }
  }
}

TEST(Reduce, Columns) {
  for (const Reduction op : kReductions) {
    for (size_t rows : {0, 1, 2, 3, 4, 5, 9, 17, 1030}) {
      for (size_t width : {0, 1, 2, 3, 4, 5, 8, 15, 16, 17, 23, 37}) {
        const size_t stride = width + 3;
        const std::vector<float> x = data_for(op, rows * stride + 1);
        std::vector<float> y(width + 2, 99);
        reduce_columns(op, x.data() + 1, rows, stride, width, y.data() + 1);
        for (size_t j = 0; j < width; ++j) {
          const double expected = reference(op, x.data() + 1 + j, rows, stride);
          if (std::isinf(expected)) {
            EXPECT_EQ(y[j + 1], expected);
          } else {
            EXPECT_NEAR(y[j + 1], expected, tolerance(op, expected, rows))
                << "op " << static_cast<int>(op) << ", " << rows << " x " << width << " at " << j;
          }
        }
        EXPECT_EQ(y.front(), 99);
        EXPECT_EQ(y.back(), 99);
      }
    }
  }
}

// Threads split rows anywhere.
TEST(Reduce, ShortRowsDoNotDependOnTheirPlace) {
  constexpr size_t kRows = 11, kWidth = 7;
  const std::vector<float> x = random_floats(kRows * kWidth, 5);
  for (const Reduction op : kReductions) {
    float all[kRows], part[kRows];
    reduce_short_rows(op, x.data(), kRows, kWidth, all);
    for (const size_t count : {1, 2, 3, 5}) {
      for (size_t first = 0; first < kRows; first += count)
        reduce_short_rows(op, &x[first * kWidth], std::min(count, kRows - first), kWidth, part + first);
      for (size_t i = 0; i < kRows; ++i) EXPECT_EQ(part[i], all[i]) << static_cast<int>(op) << " " << count;
    }
  }
}

TEST(Reduce, NanGoesThrough) {
  for (size_t n : {1, 2, 4, 7, 16, 35}) {
    for (size_t at = 0; at < n; ++at) {
      std::vector<float> x = random_floats(n, 2);
      x[at] = kNan;
      for (const Reduction op : kReductions) {
        EXPECT_TRUE(std::isnan(reduce_row(op, x.data(), n))) << static_cast<int>(op) << " " << n << " " << at;
        std::vector<float> five_rows;
        for (size_t r = 0; r < 5; ++r) five_rows.insert(five_rows.end(), x.begin(), x.end());
        float results[5] = {};
        reduce_short_rows(op, five_rows.data(), 5, n, results);
        for (const float result : results)
          EXPECT_TRUE(std::isnan(result)) << static_cast<int>(op) << " " << n << " " << at;
        float y;
        reduce_columns(op, x.data(), n, 1, 1, &y);
        EXPECT_TRUE(std::isnan(y)) << static_cast<int>(op) << " " << n << " " << at;
      }
      if (n > 1) {
        size_t best = at == 0 ? 1 : 0;
        for (size_t i = 0; i < n; ++i) best = i != at && x[i] > x[best] ? i : best;
        EXPECT_EQ(arg_maximum(x.data(), n), best);
      }
    }
  }
}

TEST(Reduce, LongSumsStayExact) {
  const size_t n = size_t{1} << 22;
  const std::vector<float> x(n, 0.1f);
  EXPECT_NEAR(reduce_row(Reduction::kSum, x.data(), n), 0.1f * static_cast<double>(n), 0.4);
  float y[4];
  reduce_columns(Reduction::kSum, x.data(), n / 4, 4, 4, y);
  EXPECT_NEAR(y[3], 0.1f * static_cast<double>(n / 4), 0.3);
}

TEST(Reduce, FirstOfEqualExtremes) {
  for (size_t n : {1, 2, 3, 4, 5, 8, 9, 16, 33}) {
    for (size_t at = 0; at < n; ++at) {
      std::vector<float> x(n, 0.5f);
      for (size_t i = at; i < n; i += 3) x[i] = 2.0f;
      EXPECT_EQ(arg_maximum(x.data(), n), at);
      for (float& v : x) v = -v;
      EXPECT_EQ(arg_minimum(x.data(), n), at);
    }
  }
  const float low[] = {-kInf, -kInf};
  EXPECT_EQ(arg_maximum(low, 2), 0u);
  const float nans[] = {kNan, kNan, kNan};
  EXPECT_EQ(arg_maximum(nans, 3), 0u);
}

void check_softmax(const std::vector<float>& x, size_t rows, size_t stride, size_t column, const float* y,
                   bool logarithm) {
  double largest = -kInf, sum = 0;
  for (size_t i = 0; i < rows; ++i) largest = std::max<double>(largest, x[i * stride + column]);
  for (size_t i = 0; i < rows; ++i) sum += std::exp(x[i * stride + column] - largest);
  for (size_t i = 0; i < rows; ++i) {
    const double shifted = x[i * stride + column] - largest;
    if (logarithm) {
      EXPECT_NEAR(y[i * stride + column], shifted - std::log(sum), 2e-6 + 2e-7 * std::abs(shifted));
    } else {
      const double expected = std::exp(shifted) / sum;
      // The rounded difference is magnified by the exponential.
      EXPECT_NEAR(y[i * stride + column], expected, (7e-7 + 6e-8 * std::abs(shifted)) * expected + 2e-38);
    }
  }
}

TEST(Softmax, Rows) {
  for (size_t n : kSizes) {
    for (size_t rows : {0, 1, 3}) {
      for (float scale : {1.0f, 30.0f, 200.0f}) {
        std::vector<float> x = random_floats(rows * n, 4);
        for (size_t i = 0; i < x.size(); ++i) x[i] = x[i] * scale + static_cast<float>(10 * (i / n));
        for (bool logarithm : {false, true}) {
          std::vector<float> y(rows * n + 1, 99);
          softmax_rows(x.data(), y.data(), rows, n, logarithm);
          for (size_t row = 0; row < rows; ++row) {
            check_softmax({x.begin() + row * n, x.begin() + (row + 1) * n}, n, 1, 0, y.data() + row * n,
                          logarithm);
          }
          EXPECT_EQ(y.back(), 99);
          std::vector<float> in_place = x;
          softmax_rows(in_place.data(), in_place.data(), rows, n, logarithm);
          for (size_t i = 0; i < rows * n; ++i) EXPECT_EQ(in_place[i], y[i]);
        }
      }
    }
  }
}

TEST(Softmax, Columns) {
  for (size_t rows : {0, 1, 2, 5, 21}) {
    for (size_t width : {1, 3, 4, 7, 16, 33}) {
      const size_t stride = width + 2;
      std::vector<float> x = random_floats(rows * stride, 4), scratch(2 * width + 1, 99);
      for (float& v : x) v *= 20;
      for (bool logarithm : {false, true}) {
        std::vector<float> y(rows * stride, 99);
        softmax_columns(x.data(), y.data(), rows, stride, width, logarithm, scratch.data());
        for (size_t j = 0; j < width; ++j) check_softmax(x, rows, stride, j, y.data(), logarithm);
        for (size_t i = 0; i < rows; ++i) EXPECT_EQ(y[i * stride + width], 99);
        std::vector<float> in_place = x;
        softmax_columns(in_place.data(), in_place.data(), rows, stride, width, logarithm, scratch.data());
        for (size_t i = 0; i < rows; ++i) {
          for (size_t j = 0; j < width; ++j) EXPECT_EQ(in_place[i * stride + j], y[i * stride + j]);
        }
      }
      EXPECT_EQ(scratch.back(), 99);
    }
  }
}

TEST(Softmax, Online) {
  std::vector<float> x = random_floats(50, 4), expected(50);
  for (float& v : x) v *= 20;
  for (size_t i = 10; i < 20; ++i) x[i] = -kInf;
  softmax_rows(x.data(), expected.data(), 1, 50, false);
  float greatest = -kInf, sum = 0;
  // Parts of 10, the second of only -inf, and a row of nothing.
  for (size_t first = 0; first < 50; first += 10) {
    const float shrink = online_softmax_row(x.data() + first, 10, greatest, sum);
    for (size_t i = 0; i < first; ++i) x[i] *= shrink;
    EXPECT_EQ(online_softmax_row(x.data(), 0, greatest, sum), 1.0f);
  }
  for (size_t i = 0; i < 50; ++i) EXPECT_NEAR(x[i] / sum, expected[i], 1e-6) << i;
  greatest = -kInf, sum = 0;
  std::vector<float> hidden(5, -kInf);
  EXPECT_EQ(online_softmax_row(hidden.data(), 5, greatest, sum), 1.0f);
  EXPECT_EQ(hidden, std::vector<float>(5));
  EXPECT_EQ(sum, 0.0f);
  hidden[3] = kNan;
  online_softmax_row(hidden.data(), 5, greatest, sum);
  EXPECT_TRUE(std::isnan(sum));
}

TEST(Softmax, Extremes) {
  std::vector<float> x = {-kInf, 0, -kInf, 1e30f}, y(4);
  softmax_rows(x.data(), y.data(), 1, 4, false);
  EXPECT_EQ(y, (std::vector<float>{0, 0, 0, 1}));
  for (const auto& row : {std::vector<float>{1, kNan, 2}, {-kInf, kNan, -kInf}, {-kInf, -kInf, -kInf}}) {
    softmax_rows(row.data(), y.data(), 1, 3, false);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(std::isnan(y[i]));
  }
}

TEST(Normalize, LayerNorm) {
  for (size_t n : kSizes) {
    if (n == 0) continue;
    std::vector<float> x = random_floats(n, 1);
    const std::vector<float> gamma = random_floats(n, 2), beta = random_floats(n, 3);
    for (float& v : x) v = v * 3 + 100;  // a mean that naive sums of squares would drown in
    double mean = 0, variance = 0;
    for (float v : x) mean += v;
    mean /= static_cast<double>(n);
    for (float v : x) variance += (v - mean) * (v - mean);
    variance /= static_cast<double>(n);
    const double scale = 1 / std::sqrt(variance + 1e-3);
    for (int form = 0; form < 4; ++form) {
      const float* g = form & 1 ? gamma.data() : nullptr;
      const float* b = form & 2 ? beta.data() : nullptr;
      std::vector<float> y(n + 1, 99);
      layer_norm_row(x.data(), y.data(), n, 1e-3f, g, b);
      for (size_t i = 0; i < n; ++i) {
        const double expected = (x[i] - mean) * scale * (g ? g[i] : 1) + (b ? b[i] : 0);
        EXPECT_NEAR(y[i], expected, 1e-5 * (1 + scale)) << "n " << n << ", form " << form;
      }
      EXPECT_EQ(y[n], 99);
    }
    const Moments m = moments(x.data(), n);
    EXPECT_NEAR(m.mean, mean, 1e-5);
    EXPECT_NEAR(m.variance, variance, 1e-5);
  }
}

TEST(Normalize, RmsNorm) {
  for (size_t n : kSizes) {
    if (n == 0) continue;
    std::vector<float> x = random_floats(n, 1);
    const std::vector<float> gamma = random_floats(n, 2);
    double square = 0;
    for (float v : x) square += static_cast<double>(v) * v;
    const double scale = 1 / std::sqrt(square / static_cast<double>(n) + 1e-6);
    std::vector<float> y(n + 1, 99);
    const std::vector<float> beta = random_floats(n, 3);
    rms_norm_row(x.data(), y.data(), n, 1e-6f, gamma.data(), beta.data());
    for (size_t i = 0; i < n; ++i) EXPECT_NEAR(y[i], x[i] * scale * gamma[i] + beta[i], 2e-6);
    rms_norm_row(x.data(), y.data(), n, 1e-6f, gamma.data(), nullptr);
    for (size_t i = 0; i < n; ++i) EXPECT_NEAR(y[i], x[i] * scale * gamma[i], 2e-6);
    EXPECT_EQ(y[n], 99);
    rms_norm_row(x.data(), x.data(), n, 1e-6f, gamma.data(), nullptr);
    for (size_t i = 0; i < n; ++i) EXPECT_EQ(x[i], y[i]);
  }
}

}  // namespace
}  // namespace wasmvino::kernels
