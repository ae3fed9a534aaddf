// SPDX-License-Identifier: Apache-2.0
#include "kernels/unary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace wasmvino::kernels {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kMin = std::numeric_limits<float>::min();
constexpr float kDenormal = std::numeric_limits<float>::denorm_min();

using Reference = double (*)(double x, double alpha, double beta);

double sigmoid(double x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }

struct Case {
  const char* name;
  UnaryFunction function;
  Reference reference;
  double max_ulp;
  // Results below this are compared absolutely: where a function flushes to zero or subtracts near numbers.
  double small = kMin;
  float lowest = -kInf, highest = kInf;
};

const Case kCases[] = {
    {"exp", {Unary::kExp}, [](double x, double, double) { return std::exp(x); }, 1.1, 0.0},
    {"log", {Unary::kLog}, [](double x, double, double) { return std::log(x); }, 1.0, 0.0, 0.0f},
    {"tanh", {Unary::kTanh}, [](double x, double, double) { return std::tanh(x); }, 2.5},
    {"sigmoid", {Unary::kSigmoid}, [](double x, double, double) { return sigmoid(x); }, 2.5},
    {"erf", {Unary::kErf}, [](double x, double, double) { return std::erf(x); }, 2.8},
    {"sin", {Unary::kSin}, [](double x, double, double) { return std::sin(x); }, 2.2},
    {"cos", {Unary::kCos}, [](double x, double, double) { return std::cos(x); }, 2.2},
    {"sqrt", {Unary::kSqrt}, [](double x, double, double) { return std::sqrt(x); }, 0.5, 0.0, 0.0f},
    {"reciprocal", {Unary::kReciprocal}, [](double x, double, double) { return 1 / x; }, 0.5, 0.0},
    {"square", {Unary::kSquare}, [](double x, double, double) { return x * x; }, 0.5, 0.0},
    {"power 2.5",
     {Unary::kPower, 2.5f},
     [](double x, double a, double) { return std::pow(x, a); },
     0.6,
     0.0,
     0.0f},
    {"power -0.3",
     {Unary::kPower, -0.3f},
     [](double x, double a, double) { return std::pow(x, a); },
     0.6,
     0.0,
     0.0f},
    {"power 7", {Unary::kPower, 7.0f}, [](double x, double a, double) { return std::pow(x, a); }, 1.0, 0.0},
    {"power 3", {Unary::kPower, 3.0f}, [](double x, double a, double) { return std::pow(x, a); }, 1.5},
    {"power 0.5",
     {Unary::kPower, 0.5f},
     [](double x, double, double) { return std::sqrt(x); },
     0.5,
     0.0,
     0.0f},
    {"power -0.5",
     {Unary::kPower, -0.5f},
     [](double x, double, double) { return 1 / std::sqrt(x); },
     1.5,
     0.0,
     0.0f},
    {"softplus",
     {Unary::kSoftPlus},
     [](double x, double, double) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); },
     2.0},
    {"mish",
     {Unary::kMish},
     [](double x, double, double) { return x * std::tanh(std::log1p(std::exp(x))); },
     4.0,
     2e-36,
     -kInf,
     80.0f},
    {"elu",
     {Unary::kElu, 1.5f},
     [](double x, double a, double) { return x < 0 ? a * std::expm1(x) : x; },
     2.5},
    {"selu",
     {Unary::kSelu, 1.6732632f, 1.050701f},
     [](double x, double a, double b) { return b * (x < 0 ? a * std::expm1(x) : x); },
     3.0},
    {"gelu erf",
     {Unary::kGeluErf},
     [](double x, double, double) {
       return std::isinf(x) && x < 0 ? 0.0 : 0.5 * x * std::erfc(-x / std::sqrt(2.0));
     },
     4.0,
     4.0},
    {"gelu tanh",
     {Unary::kGeluTanh},
     [](double x, double, double) {
       if (std::isinf(x) && x < 0) return 0.0;
       return x * sigmoid(2 * std::sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x));
     },
     4.0,
     4.0},
    {"swish",
     {Unary::kSwish, 1.0f},
     [](double x, double a, double) { return x * sigmoid(x * a); },
     3.0,
     2e-36},
    // The product 1.25 x is rounded, which the exponential magnifies.
    {"swish 1.25",
     {Unary::kSwish, 1.25f},
     [](double x, double a, double) { return x * sigmoid(x * a); },
     10.0,
     1e-3},
    {"hswish",
     {Unary::kHSwish},
     [](double x, double, double) { return x * std::clamp(x + 3, 0.0, 6.0) / 6; },
     3.0,
     1.0,
     -1e30f,
     1e30f},
    {"hsigmoid",
     {Unary::kHSigmoid},
     [](double x, double, double) { return std::clamp(x + 3, 0.0, 6.0) / 6; },
     3.0,
     1.0},
    {"hard sigmoid",
     {Unary::kHardSigmoid, 0.2f, 0.5f},
     [](double x, double a, double b) { return std::clamp(a * x + b, 0.0, 1.0); },
     2.0,
     1.0},
    {"softsign", {Unary::kSoftSign}, [](double x, double, double) { return x / (1 + std::abs(x)); }, 1.5},
    {"affine", {Unary::kAffine, 2.0f, 1.0f}, [](double x, double a, double b) { return a * x + b; }, 0.5},
    {"relu", {Unary::kRelu}, [](double x, double, double) { return x < 0 ? 0.0 : x; }, 0.0, 0.0},
    {"leaky relu",
     {Unary::kLeakyRelu, 0.25f},
     [](double x, double a, double) { return x < 0 ? a * x : x; },
     0.5,
     0.0},
    {"clamp",
     {Unary::kClamp, -1.5f, 6.0f},
     [](double x, double a, double b) { return x < a   ? a
                                               : x > b ? b
                                                       : x; },
     0.0,
     0.0},
    {"abs", {Unary::kAbs}, [](double x, double, double) { return std::abs(x); }, 0.0, 0.0},
    {"negative", {Unary::kNegative}, [](double x, double, double) { return -x; }, 0.0, 0.0},
    {"sign",
     {Unary::kSign},
     [](double x, double, double) { return x > 0   ? 1.0
                                           : x < 0 ? -1.0
                                                   : x; },
     0.0,
     0.0},
    {"floor", {Unary::kFloor}, [](double x, double, double) { return std::floor(x); }, 0.0, 0.0},
    {"ceiling", {Unary::kCeiling}, [](double x, double, double) { return std::ceil(x); }, 0.0, 0.0},
    {"round half to even",
     {Unary::kRoundHalfToEven},
     [](double x, double, double) { return std::nearbyint(x); },
     0.0,
     0.0},
    {"round half away",
     {Unary::kRoundHalfAwayFromZero},
     [](double x, double, double) { return std::round(x); },
     0.0,
     0.0},
};

// The distance in units of the last place that a float near `expected` has; 1e30 where only one is NaN or
// infinite.
double ulp_error(float actual, double expected, double small) {
  if (std::isnan(expected)) return std::isnan(actual) ? 0 : 1e30;
  const double limit = std::numeric_limits<float>::max() * (1 + std::ldexp(1.0, -25));
  if (std::abs(expected) >= limit) {
    if (actual == (expected > 0 ? kInf : -kInf)) return 0;
    // The first value that rounds to infinity is one ulp off the largest float.
    if (std::isinf(expected) || std::abs(actual) < std::numeric_limits<float>::max()) return 1e30;
    return 1;
  }
  // Functions may flush tiny results to zero.
  if (small > 0 && actual == 0.0f && std::abs(expected) < std::max(1.0001 * kMin, small)) return 0;
  const double magnitude = std::max({std::abs(expected), small, static_cast<double>(kMin)});
  int exponent;
  std::frexp(magnitude, &exponent);
  return std::abs(static_cast<double>(actual) - expected) / std::ldexp(1.0, exponent - 24);
}

class UnaryTest : public testing::TestWithParam<Case> {};

TEST_P(UnaryTest, StaysWithinItsErrorOnAllFloats) {
  const Case& c = GetParam();
  std::vector<float> x = {0.0f,        -0.0f,      kInf,        -kInf,     kNan,      kMin,       -kMin,
                          kDenormal,   -kDenormal, 0.5f,        -0.5f,     1.5f,      2.5f,       -2.5f,
                          0.49999997f, 8388609.0f, -8388607.5f, 88.72283f, 88.72284f, -87.33654f, -87.33655f,
                          -103.97208f, -103.97f,   16777216.0f, 1e38f};
  // A prime step over the bit patterns reaches every exponent about 650 times with different mantissas.
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += 12899) {
    x.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  }
  // And where the functions bend.
  for (int i = -60000; i <= 60000; ++i) x.push_back(static_cast<float>(i) * 0.0005f + 1e-5f);
  std::vector<float> y(x.size());
  apply_unary(c.function, x.data(), y.data(), x.size());
  double worst = 0;
  float at = 0, got = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i] < c.lowest || x[i] > c.highest) continue;
    const double expected = std::isnan(x[i]) ? kNan : c.reference(x[i], c.function.alpha, c.function.beta);
    const double error = ulp_error(y[i], expected, c.small);
    if (error > worst) worst = error, at = x[i], got = y[i];
  }
  EXPECT_LE(worst, c.max_ulp) << "at " << at << ": " << got << ", expected "
                              << c.reference(at, c.function.alpha, c.function.beta);
  RecordProperty("worst_ulp", std::to_string(worst));
}

TEST_P(UnaryTest, TouchesNothingBeyondItsLength) {
  const Case& c = GetParam();
  for (size_t n = 0; n <= 35; ++n) {
    for (size_t offset = 0; offset < 4; ++offset) {
      std::vector<float> x(offset + n + 1, 0.7f), y(offset + n + 1, 99.0f);
      for (size_t i = 0; i < n; ++i) x[offset + i] = 0.25f + 0.125f * static_cast<float>(i);
      apply_unary(c.function, x.data() + offset, y.data() + offset, n);
      std::vector<float> in_place = x;
      apply_unary(c.function, in_place.data() + offset, in_place.data() + offset, n);
      for (size_t i = 0; i < n; ++i) {
        const double expected = c.reference(x[offset + i], c.function.alpha, c.function.beta);
        EXPECT_LE(ulp_error(y[offset + i], expected, c.small), c.max_ulp) << "n " << n << ", i " << i;
        EXPECT_EQ(in_place[offset + i], y[offset + i]);
      }
      EXPECT_EQ(y[offset + n], 99.0f);
      EXPECT_EQ(in_place[offset + n], 0.7f);
      if (offset > 0) {
        EXPECT_EQ(y[offset - 1], 99.0f);
      }
    }
  }
}

std::string test_name(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.name;
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Functions, UnaryTest, testing::ValuesIn(kCases), test_name);

TEST(Unary, IdentityCopies) {
  const float x[] = {1, 2, 3};
  float y[3] = {};
  apply_unary({}, x, y, 3);
  EXPECT_EQ(y[2], 3.0f);
}

// Threads cut arrays in other places, so that an element meets other neighbours.
TEST(Unary, DoesNotDependOnNeighbours) {
  const float values[] = {1.5f,   -2.25f, 3e5f,  0.3f,  -7e9f,    kInf,  0.75f, kNan,
                          1e-30f, -0.0f,  88.0f, -3.0f, 65535.9f, -kInf, 2.0f,  kDenormal};
  constexpr size_t kCount = std::size(values);
  for (const Case& c : kCases) {
    float together[kCount];
    apply_unary(c.function, values, together, kCount);
    for (size_t i = 0; i < kCount; ++i) {
      float alone = 0;
      apply_unary(c.function, values + i, &alone, 1);
      if (std::isnan(alone) && std::isnan(together[i])) continue;
      EXPECT_EQ(std::bit_cast<uint32_t>(alone), std::bit_cast<uint32_t>(together[i]))
          << c.name << " of " << values[i];
    }
  }
}

}  // namespace
}  // namespace wasmvino::kernels
