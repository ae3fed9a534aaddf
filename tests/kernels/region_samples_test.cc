// SPDX-License-Identifier: Apache-2.0
#include "kernels/region_samples.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/kernels/random.h"

namespace wasmvino::test::region_samples_test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(SamplesOfBin, GivenOrAsManyAsElements) {
  EXPECT_EQ(kernels::samples_of_bin(3, 100.0f), 3);
  EXPECT_EQ(kernels::samples_of_bin(0, 2.25f), 3);
  EXPECT_EQ(kernels::samples_of_bin(0, 0.5f), 1);
  for (const float bin : {0.0f, -2.0f, 0x1p24f, kInfinity, -kInfinity, kNan}) {
    EXPECT_EQ(kernels::samples_of_bin(0, bin), 0) << bin;
  }
}

TEST(SamplesBetween, HoldsAllThatLieThereAndFewMore) {
  for (const float begin : {-1000.0f, -2.5f, 0.0f, 3.25f, 50.0f}) {
    for (const float step : {0.25f, 0.75f, 1.0f, 7.5f, -0.5f, -3.0f}) {
      const kernels::SampleRange range = kernels::samples_between(begin, step, 4000, -2, 9);
      EXPECT_LE(range.begin, range.end);
      EXPECT_LE(range.end - range.begin, 11 / std::abs(step) + 3);
      for (int64_t i = 0; i < 4000; ++i) {
        const float place = begin + step * (static_cast<float>(i) + 0.5f);
        if (place >= -2 && place <= 9) {
          EXPECT_TRUE(i >= range.begin && i < range.end) << begin << " " << step << " " << i;
        }
      }
    }
  }
}

TEST(SamplesBetween, WildRegions) {
  const auto count = [](float begin, float step) {
    const kernels::SampleRange range = kernels::samples_between(begin, step, 1 << 30, -2, 9);
    return range.end - range.begin;
  };
  EXPECT_EQ(kernels::samples_between(4, 0, 5, -2, 9).end, 5);  // all at one place
  EXPECT_EQ(count(kNan, 1), 0);
  EXPECT_EQ(count(1, kNan), 0);
  EXPECT_EQ(count(kInfinity, 1), 0);
  EXPECT_EQ(count(-kInfinity, 1), 0);
  EXPECT_LE(count(-3e38f, 1), 1);
  EXPECT_LE(count(-1e9f, 4), 5);
}

TEST(ClampToAxis, CutsPlacesOffAndTakesNanAsZero) {
  EXPECT_EQ(kernels::clamp_to_axis(3.0f, 7), 3u);
  EXPECT_EQ(kernels::clamp_to_axis(7.5f, 7), 7u);
  EXPECT_EQ(kernels::clamp_to_axis(1e30f, 7), 7u);
  EXPECT_EQ(kernels::clamp_to_axis(kInfinity, 7), 7u);
  for (const float place : {0.0f, -1.0f, -kInfinity, kNan}) EXPECT_EQ(kernels::clamp_to_axis(place, 7), 0u);
}

TEST(ReadSamples, SumsOfFourElements) {
  const std::vector<float> plane = kernels::random_floats(400, 3);
  kernels::PairSamples samples{};
  kernels::Random random(4);
  for (size_t i = 0; i < kernels::PairSamples::kMost; ++i) {
    samples.upper[i] = static_cast<size_t>(random.integer(0, 398));
    samples.lower[i] = static_cast<size_t>(random.integer(0, 398));
    for (size_t k = 0; k < 2; ++k) {
      samples.upper_weights[i][k] = random.real();
      samples.lower_weights[i][k] = random.real();
    }
  }
  for (const size_t n : {0, 1, 3, 4, 5, 7, 8, 62, 63, 64}) {
    std::vector<float> y(n + 1, 99.0f);
    kernels::read_samples(plane.data(), samples, n, y.data());
    for (size_t i = 0; i < n; ++i) {
      float expected = 0;
      for (size_t k = 0; k < 2; ++k) {
        expected += plane[samples.upper[i] + k] * samples.upper_weights[i][k];
        expected += plane[samples.lower[i] + k] * samples.lower_weights[i][k];
      }
      EXPECT_NEAR(y[i], expected, 1e-6f) << n << " " << i;
    }
    EXPECT_EQ(y[n], 99.0f);
  }
}

}  // namespace
}  // namespace wasmvino::test::region_samples_test
