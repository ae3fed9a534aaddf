// SPDX-License-Identifier: Apache-2.0
#include "kernels/region_samples.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

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

}  // namespace
}  // namespace wasmvino::test::region_samples_test
