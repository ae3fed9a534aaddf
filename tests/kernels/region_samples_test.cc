// SPDX-License-Identifier: Apache-2.0
#include "kernels/region_samples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/kernels/random.h"

namespace wasmvino::test::region_samples_test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Channels that fill blocks of vectors, that leave a rest, or both. Elements between the outputs stay.
TEST(RegionPixels, GiveWhatPlanesGive) {
  for (const size_t channels : {1u, 3u, 4u, 7u, 16u, 37u}) {
    constexpr size_t kHeight = 5, kWidth = 6, kStep = 3;
    std::vector<float> pixels = kernels::random_floats(kHeight * kWidth * channels, 5);
    pixels[7 * channels] = kNan;
    for (size_t top = 0; top < kHeight; ++top) {
      const size_t left = top, rows = kHeight - top, columns = top % 3;
      std::vector<float> best(channels * kStep, 5), read(channels * kStep, 5);
      kernels::max_of_pixels(pixels.data() + (top * kWidth + left) * channels, rows, columns,
                             kWidth * channels, channels, best.data(), kStep);
      const kernels::Sample sample =
          kernels::sample_at(static_cast<float>(top) + 0.25f, 2.75f, kHeight, kWidth);
      kernels::read_pixels(pixels.data(), sample, channels, read.data(), kStep);
      for (size_t c = 0; c < channels; ++c) {
        std::vector<float> plane;
        for (size_t i = 0; i < kHeight * kWidth; ++i) plane.push_back(pixels[i * channels + c]);
        float expected = std::numeric_limits<float>::lowest();
        for (size_t row = 0; row < rows; ++row) {
          for (size_t i = 0; i < columns; ++i)
            expected = std::max(expected, plane[(top + row) * kWidth + left + i]);
        }
        EXPECT_EQ(best[c * kStep], expected) << channels << " " << top << " " << c;
        const float sampled = sample.read(plane.data());
        if (std::isnan(sampled)) {
          EXPECT_TRUE(std::isnan(read[c * kStep]));
        } else {
          EXPECT_EQ(read[c * kStep], sampled) << channels << " " << top << " " << c;
        }
        for (size_t i = 1; i < kStep; ++i) {
          EXPECT_EQ(best[c * kStep + i], 5);
          EXPECT_EQ(read[c * kStep + i], 5);
        }
      }
    }
  }
}

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
