// SPDX-License-Identifier: Apache-2.0
#include "kernels/integer_mean.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/kernels/conv_reference.h"

namespace wasmvino::kernels {
namespace {

struct Window {
  size_t batch;
  Extents in, kernel, stride, dilation, pads;
};

TEST(IntegerMean, DividesExactSums) {
  const Window windows[] = {
      {1, {{1, 1, 1}}, {{1, 1, 1}}, {{1, 1, 1}}, {{1, 1, 1}}, {{0, 0, 0}}},
      {2, {{1, 7, 7}}, {{1, 7, 7}}, {{1, 1, 1}}, {{1, 1, 1}}, {{0, 0, 0}}},
      {2, {{1, 1, 600}}, {{1, 1, 600}}, {{1, 1, 1}}, {{1, 1, 1}}, {{0, 0, 0}}},
      {1, {{1, 6, 9}}, {{1, 3, 2}}, {{1, 2, 1}}, {{1, 1, 1}}, {{0, 1, 1}}},
      {2, {{4, 6, 7}}, {{2, 3, 3}}, {{1, 2, 1}}, {{1, 1, 2}}, {{1, 1, 2}}},
  };
  for (const Window& window : windows) {
    for (const size_t channels : {1, 8, 16, 21, 70}) {
      for (const Pooling kind : {Pooling::kAverage, Pooling::kAverageWithPads}) {
        Conv c;
        c.batch = window.batch;
        c.groups = channels;
        c.in = window.in;
        c.kernel = window.kernel;
        c.stride = window.stride;
        c.dilation = window.dilation;
        c.pads = window.pads;
        set_output_size(c);
        c.in_stride = channels + 3;  // a part of a larger tensor
        c.out_stride = channels;
        SCOPED_TRACE(testing::Message() << channels << " channels, " << c.kernel.product() << " taps");
        std::vector<uint8_t> x = random_bytes(c.in_pixels() * c.in_stride, 1);
        // The largest sums.
        if (c.kernel.product() == 600) std::fill(x.begin(), x.end(), uint8_t{255});
        const size_t padded = (channels + kMeanChannels - 1) / kMeanChannels * kMeanChannels;
        Random random(3);
        std::vector<int32_t> zero(padded);
        std::vector<float> scale(padded), bias(padded);
        for (size_t i = 0; i < padded; ++i) {
          zero[i] = static_cast<int32_t>(random.integer(0, 255));
          scale[i] = 0.5f + 0.4f * random.real();
          bias[i] = 100 + 50 * random.real();
        }
        std::vector<int32_t> sums(c.out_pixels() * channels), inside(c.out_pixels());
        for_each_tap(c, [&](size_t out, size_t in, size_t) {
          ++inside[out];
          for (size_t i = 0; i < channels; ++i) sums[out * channels + i] += x[in * c.in_stride + i];
        });
        std::vector<uint8_t> q(sums.size() + 1, 77);
        std::vector<float> y(sums.size() + 1, 77);
        MeanSteps steps = {zero.data(), scale.data(), bias.data(), {}};
        const size_t cut = c.out_pixels() / 2, half = channels / 2 / kMeanChannels * kMeanChannels;
        // In parts, as threads do.
        for (const Range& pixels : {Range{0, cut}, Range{cut, c.out_pixels()}}) {
          for (const Range& some : {Range{0, half}, Range{half, channels}}) {
            steps.bounds = {};
            mean_pool(kind, c, steps, x.data(), {nullptr, y.data(), channels}, pixels, some);
            steps.bounds = {3, 250};
            mean_pool(kind, c, steps, x.data(), {q.data(), nullptr, channels}, pixels, some);
          }
        }
        for (size_t i = 0; i < sums.size(); ++i) {
          const size_t channel = i % channels, taps = static_cast<size_t>(inside[i / channels]);
          const auto count = static_cast<float>(kind == Pooling::kAverage ? taps : c.kernel.product());
          const int32_t sum = sums[i] - inside[i / channels] * zero[channel];
          const float product = static_cast<float>(sum) / count * scale[channel];
          const float v = product + bias[channel];
          ASSERT_EQ(y[i], v) << i;
          ASSERT_EQ(q[i], static_cast<uint8_t>(std::nearbyint(std::clamp(v, 3.0f, 250.0f)))) << i;
        }
        EXPECT_EQ(y.back(), 77);
        EXPECT_EQ(q.back(), 77);
      }
    }
  }
}

TEST(IntegerMean, AddsMoments) {
  for (const size_t rows : {1, 2, 7, 256}) {
    for (const size_t stride : {5, 16, 83}) {
      for (const bool most : {false, true}) {
        SCOPED_TRACE(testing::Message() << rows << " rows, " << stride);
        // The last row begins three levels before the end.
        const size_t size = (rows - 1) * stride + 3;
        std::vector<uint8_t> x = random_bytes(size, 2);
        if (most) std::fill(x.begin(), x.end(), uint8_t{255});
        std::vector<int64_t> sums(kMeanChannels, 5), squares(kMeanChannels, int64_t{1} << 40);
        std::vector<int64_t> expected_sums = sums, expected_squares = squares;
        for (size_t r = 0; r < rows; ++r) {
          for (size_t i = 0; i < kMeanChannels && r * stride + i < size; ++i) {
            const int64_t level = x[r * stride + i];
            expected_sums[i] += level;
            expected_squares[i] += level * level;
          }
        }
        add_moments(x.data(), stride, rows, x.data() + size, sums.data(), squares.data());
        EXPECT_EQ(sums, expected_sums);
        EXPECT_EQ(squares, expected_squares);
      }
    }
  }
}

}  // namespace
}  // namespace wasmvino::kernels
