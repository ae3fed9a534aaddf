// SPDX-License-Identifier: Apache-2.0
#include "kernels/resize.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/kernels/random.h"

namespace wasmvino::kernels {
namespace {

TEST(Resize, CombineRows) {
  for (size_t taps = 0; taps <= 11; ++taps) {
    for (const size_t n :
         {size_t{0}, size_t{1}, size_t{3}, size_t{4}, size_t{7}, size_t{8}, size_t{13}, size_t{64}}) {
      SCOPED_TRACE(testing::Message() << taps << " taps, " << n);
      const std::vector<float> data = random_floats(taps * n + 1, 3), weights = random_floats(taps + 1, 4);
      std::vector<const float*> rows;
      for (size_t k = 0; k < taps; ++k) rows.push_back(data.data() + (taps - 1 - k) * n);
      std::vector<float> got(n + 1, 5.0f);
      combine_rows(rows.data(), weights.data(), taps, got.data(), n);
      for (size_t j = 0; j < n; ++j) {
        double sum = 0;
        for (size_t k = 0; k < taps; ++k)
          sum += static_cast<double>(weights[k]) * static_cast<double>(rows[k][j]);
        EXPECT_NEAR(static_cast<double>(got[j]), sum, 1e-6);
      }
      EXPECT_EQ(got[n], 5.0f);
    }
  }
}

TEST(Resize, CombineWindows) {
  for (size_t taps = 0; taps <= 11; ++taps) {
    for (const size_t n : {size_t{0}, size_t{1}, size_t{3}, size_t{4}, size_t{9}, size_t{18}}) {
      SCOPED_TRACE(testing::Message() << taps << " taps, " << n);
      const size_t size = taps + 5;
      // The last windows end where the memory does.
      const std::vector<float> x = random_floats(size, 5), weights = random_floats(taps * n + 1, 6);
      Random random(7);
      std::vector<int32_t> first(n, 5);
      for (size_t i = 0; i + 1 < n; ++i) first[i] = static_cast<int32_t>(random.integer(0, 5));
      std::vector<float> got(n + 1, 5.0f);
      combine_windows(x.data(), first.data(), weights.data(), taps, got.data(), n);
      for (size_t i = 0; i < n; ++i) {
        double sum = 0;
        for (size_t k = 0; k < taps; ++k) {
          sum += static_cast<double>(weights[i * taps + k]) *
                 static_cast<double>(x[static_cast<size_t>(first[i]) + k]);
        }
        EXPECT_NEAR(static_cast<double>(got[i]), sum, 1e-6);
      }
      EXPECT_EQ(got[n], 5.0f);
    }
  }
}

TEST(Resize, CombinePixels) {
  for (size_t channels = 2; channels <= 4; ++channels) {
    for (const size_t taps : {size_t{1}, size_t{2}, size_t{5}}) {
      SCOPED_TRACE(testing::Message() << channels << " channels, " << taps << " taps");
      const size_t size = taps + 3, n = 7;
      const std::vector<float> x = random_floats(size * channels, 8), weights = random_floats(taps * n, 9);
      const int32_t first[] = {0, 1, 3, 2, 0, 3, 3};  // the last windows end where the memory does
      std::vector<float> got(n * channels + 1, 5.0f);
      combine_pixels(x.data(), size, channels, first, weights.data(), taps, got.data(), n);
      for (size_t i = 0; i < n * channels; ++i) {
        double sum = 0;
        for (size_t k = 0; k < taps; ++k) {
          const size_t pixel = static_cast<size_t>(first[i / channels]) + k;
          sum += static_cast<double>(weights[i / channels * taps + k]) *
                 static_cast<double>(x[pixel * channels + i % channels]);
        }
        EXPECT_NEAR(static_cast<double>(got[i]), sum, 1e-6);
      }
      EXPECT_EQ(got[n * channels], 5.0f);
    }
  }
}

}  // namespace
}  // namespace wasmvino::kernels
