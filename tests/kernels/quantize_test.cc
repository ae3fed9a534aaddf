// SPDX-License-Identifier: Apache-2.0
#include "kernels/quantize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/kernels/random.h"

namespace wasmvino::kernels {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

float quantized(float x, float input_low, float input_high, float output_low, float output_high,
                float levels) {
  if (x <= std::min(input_low, input_high)) return output_low;
  if (x > std::max(input_low, input_high)) return output_high;
  const float level = std::nearbyint((x - input_low) / (input_high - input_low) * (levels - 1));
  return level / (levels - 1) * (output_high - output_low) + output_low;
}

void expect_close(float actual, float expected, size_t i) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(actual)) << "at " << i << ": " << actual;
  } else {
    EXPECT_NEAR(actual, expected, 1e-6f * (1 + std::abs(expected))) << "at " << i;
  }
}

TEST(FakeQuantize, MatchesItsFormula) {
  for (const float levels : {2.0f, 3.0f, 255.0f, 65536.0f}) {
    for (size_t n : {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 17, 33}) {
      for (size_t steps = 0; steps < 32; ++steps) {
        std::vector<float> operands[5];
        for (uint32_t i = 0; i < 5; ++i) operands[i] = random_floats(n + 1, 7 * i + static_cast<uint32_t>(n));
        if (n > 2) operands[0][2] = kNan;
        if (n > 3) operands[0][3] = kInf;
        for (float& high : operands[2]) high += 1.5f;  // so that most ranges are not empty
        const auto operand = [&](size_t i) { return QuantizeOperand{operands[i].data(), steps >> i & 1}; };
        std::vector<float> y(n + 1, 77);
        fake_quantize(operand(0), {operand(1), operand(2), operand(3), operand(4)}, levels, y.data(), n);
        for (size_t i = 0; i < n; ++i) {
          const auto at = [&](size_t k) { return operands[k][i * (steps >> k & 1)]; };
          SCOPED_TRACE(testing::Message() << levels << " levels, n " << n << ", steps " << steps);
          expect_close(y[i], quantized(at(0), at(1), at(2), at(3), at(4), levels), i);
        }
        EXPECT_EQ(y[n], 77);
      }
    }
  }
}

TEST(FakeQuantize, RoundsTiesToEvenAndWorksInPlace) {
  std::vector<float> x = {-0.5f, 0, 0.125f, 0.375f, 0.625f, 0.875f, 1, 1.5f, kNan};
  const float low = 0, high = 1;
  const QuantizeRanges ranges = {{&low, 0}, {&high, 0}, {&low, 0}, {&high, 0}};
  fake_quantize({x.data(), 1}, ranges, 5, x.data(), x.size());
  const float expected[] = {0, 0, 0, 0.5f, 0.5f, 1, 1, 1, kNan};
  for (size_t i = 0; i < x.size(); ++i) expect_close(x[i], expected[i], i);
}

// Of an inverted range the formula counts the levels down; beyond its ends the outputs are as ever.
TEST(FakeQuantize, TakesInvertedRanges) {
  const std::vector<float> x = {-1, 0.2f, 0.8f, 2};
  const float one = 1, zero = 0;
  std::vector<float> y(4);
  fake_quantize({x.data(), 1}, {{&one, 0}, {&zero, 0}, {&zero, 0}, {&one, 0}}, 5, y.data(), 4);
  EXPECT_EQ(y, (std::vector<float>{0, 0.75f, 0.25f, 1}));
}

// All values of an 8-bit type that are not negative, from its definition.
std::vector<double> float8_values(int digits, int least_exponent, double largest) {
  std::vector<double> values;
  for (int i = 0; i < 1 << digits; ++i) values.push_back(std::ldexp(i, least_exponent - digits));
  for (int exponent = least_exponent; values.back() < largest; ++exponent) {
    for (int i = 1 << digits; i < 2 << digits && values.back() < largest; ++i) {
      values.push_back(std::ldexp(i, exponent - digits));
    }
  }
  return values;
}

float rounded(const std::vector<double>& values, float x) {
  if (std::isnan(x)) return x;
  const double magnitude = std::abs(static_cast<double>(x));
  if (magnitude >= values.back()) return std::copysign(static_cast<float>(values.back()), x);
  const size_t above =
      static_cast<size_t>(std::upper_bound(values.begin(), values.end(), magnitude) - values.begin());
  const double down = magnitude - values[above - 1], up = values[above] - magnitude;
  const size_t nearest = down < up || (down == up && above % 2 == 1) ? above - 1 : above;
  return std::copysign(static_cast<float>(values[nearest]), x);
}

void check_float8(Float8 type, const std::vector<double>& values) {
  const std::vector<double> f16_values = float8_values(10, -14, 65504);
  std::vector<float> x = {0,        -0.0f,       kInf,     -kInf,  kNan,    1e9f,     448,         464,
                          465,      57344,       61440,    65520,  0x1p-9f, 0x1p-10f, 0x1.01p-10f, 0x1p-16f,
                          0x1p-17f, 0x1.01p-17f, 0x1p-25f, 1e-30f, 1.0625f, 1.1875f};
  for (const double value : values) x.push_back(static_cast<float>(value));
  for (size_t i = 0; i + 1 < values.size(); ++i)
    x.push_back(static_cast<float>((values[i] + values[i + 1]) / 2));
  Random random(5);
  for (int i = 0; i < 5000; ++i)
    x.push_back(std::ldexp(random.real(), static_cast<int>(random.integer(-20, 18))));
  const float one = 1, zero = 0;
  for (size_t n = x.size() - 9; n <= x.size(); ++n) {
    std::vector<float> y(n + 1, 77);
    fake_convert(type, {x.data(), 1}, {&one, 0}, {&zero, 0}, y.data(), n);
    for (size_t i = 0; i < n; ++i) {
      const float expected = rounded(values, rounded(f16_values, x[i]));
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(y[i]));
      } else {
        EXPECT_EQ(y[i], expected) << x[i];
      }
    }
    EXPECT_EQ(y[n], 77);
  }
}

TEST(FakeConvert, RoundsToTheValuesOfTheType) {
  check_float8(Float8::kE4m3, float8_values(3, -6, 448));
  check_float8(Float8::kE5m2, float8_values(2, -14, 57344));
}

TEST(FakeConvert, ScalesAndShifts) {
  const std::vector<float> x = {1, 2.1f, 3.3f, -4, 5.7f}, scale = {2, 0.5f, 1, 4, 3},
                           shift = {0, 1, -1, 2, 0.5f};
  const std::vector<double> values = float8_values(3, -6, 448);
  for (size_t scale_step : {0, 1}) {
    for (size_t shift_step : {0, 1}) {
      std::vector<float> y = x;
      fake_convert(Float8::kE4m3, {y.data(), 1}, {scale.data(), scale_step}, {shift.data(), shift_step},
                   y.data(), 5);
      for (size_t i = 0; i < 5; ++i) {
        const float factor = scale[i * scale_step], offset = shift[i * shift_step];
        EXPECT_EQ(y[i], (rounded(values, x[i] * factor - offset) + offset) / factor) << i;
      }
    }
  }
}

}  // namespace
}  // namespace wasmvino::kernels
