// SPDX-License-Identifier: Apache-2.0
#include "kernels/depthwise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/kernels/activation_reference.h"
#include "tests/kernels/conv_reference.h"

namespace wasmvino::kernels {
namespace {

constexpr float kGuard = -777.0f;
constexpr float kInf = std::numeric_limits<float>::infinity();

std::string describe(const Conv& c) {
  return (testing::Message() << c.batch << " x " << c.groups << " channels, in " << c.in[0] << "x" << c.in[1]
                             << "x" << c.in[2] << ", out " << c.out[2] << ", kernel " << c.kernel[0] << "x"
                             << c.kernel[1] << "x" << c.kernel[2] << ", stride " << c.stride[2]
                             << ", dilation " << c.dilation[2] << ", pads " << c.pads[2])
      .GetString();
}

void check_depthwise(Conv c, const UnaryFunction& activation = {}, bool bias_used = true,
                     bool residual_used = false, size_t gap = 0) {
  c.in_channels = c.out_channels = 1;
  if (c.out.product() == 1 && c.out[2] == 1) set_output_size(c);
  c.in_stride = c.groups + gap;
  c.out_stride = c.groups + 2 * gap;
  SCOPED_TRACE(describe(c));
  const size_t taps = c.kernel.product();
  const std::vector<float> x = random_floats(c.in_pixels() * c.in_stride, 1),
                           w = random_floats(c.groups * taps, 2), bias = random_floats(c.groups, 3),
                           residual = random_floats(c.out_pixels() * c.groups, 4);
  std::vector<double> expected = reference_conv(c, x.data(), w.data());
  for (size_t i = 0; i < expected.size(); ++i) {
    if (bias_used) expected[i] += bias[i % c.groups];
    if (residual_used) expected[i] += residual[i];
    expected[i] = activated(activation, expected[i]);
  }
  std::vector<float> packed(packed_depthwise_size(c) + 1, kGuard);
  pack_depthwise(c, {w.data(), taps, 0, 0, 1}, packed.data());
  ASSERT_EQ(packed.back(), kGuard);
  Epilogue epilogue;
  if (bias_used) epilogue.bias = bias.data();
  if (residual_used) epilogue.residual = {nullptr, residual.data(), c.groups};
  epilogue.activate(activation);
  std::vector<float> y(c.out_pixels() * c.out_stride, kGuard);
  const size_t rows = c.batch * c.out[0] * c.out[1];
  depthwise(c, x.data(), packed.data(), y.data(), epilogue, {0, rows / 2});
  depthwise(c, x.data(), packed.data(), y.data(), epilogue, {rows / 2, rows});
  for (size_t p = 0; p < c.out_pixels(); ++p) {
    for (size_t o = 0; o < c.groups; ++o) {
      ASSERT_NEAR(y[p * c.out_stride + o], expected[p * c.groups + o],
                  2e-6 * std::sqrt(static_cast<double>(taps) + 1))
          << "pixel " << p << ", channel " << o;
    }
    for (size_t o = c.groups; o < c.out_stride; ++o) ASSERT_EQ(y[p * c.out_stride + o], kGuard);
  }
}

TEST(Depthwise, ChannelsAndSizesOf3x3) {
  for (size_t channels : {1, 2, 3, 4, 5, 8, 12, 15, 16, 17, 64, 68, 132}) {
    for (size_t size : {1, 2, 3, 4, 5, 9}) {
      for (size_t pad : {0, 1, 2}) {
        if (size + 2 * pad < 3) continue;
        check_depthwise(make_depthwise(channels, {{1, size, size + 1}}, {{1, 3, 3}}, {}, {{0, pad, pad}}));
        check_depthwise(
            make_depthwise(channels, {{1, size, size}}, {{1, 3, 3}}, {{1, 2, 2}}, {{0, pad, pad}}));
      }
    }
  }
}

TEST(Depthwise, LongRows) {
  for (size_t width : {27, 28, 29, 30, 55, 56, 57, 85}) {
    check_depthwise(make_depthwise(8, {{1, 3, width}}, {{1, 3, 3}}, {}, {{0, 1, 1}}, {}, 2));
    check_depthwise(make_depthwise(8, {{1, 3, width}}, {{1, 3, 3}}));
  }
}

// The padding behind differs from that before.
TEST(Depthwise, UnevenPads) {
  for (size_t before : {0, 1}) {
    for (size_t behind : {0, 1, 2}) {
      Conv c = make_depthwise(8, {{1, 6, 7}}, {{1, 3, 3}}, {}, {{0, before, before}});
      c.out = {{1, 6 + before + behind - 2, 7 + before + behind - 2}};
      check_depthwise(c);
    }
  }
}

TEST(Depthwise, AnyKernel) {
  for (size_t kernel : {1, 2, 3, 5, 7}) {
    for (size_t stride : {1, 2, 3}) {
      for (size_t dilation : {1, 2}) {
        for (size_t pad : {0, 1, 3}) {
          if ((kernel - 1) * dilation + 1 > 9 + 2 * pad) continue;
          check_depthwise(make_depthwise(11, {{1, 9, 17}}, {{1, kernel, kernel}}, {{1, stride, stride}},
                                         {{0, pad, pad}}, {{1, dilation, dilation}}, 2));
        }
      }
    }
  }
  check_depthwise(make_depthwise(6, {{1, 1, 40}}, {{1, 1, 9}}, {{1, 1, 2}}, {{0, 0, 4}}));
  check_depthwise(make_depthwise(6, {{4, 5, 6}}, {{3, 3, 3}}, {}, {{1, 1, 1}}));
}

TEST(Depthwise, Forms) {
  for (const UnaryFunction& f : {UnaryFunction{}, UnaryFunction{Unary::kRelu},
                                 UnaryFunction{Unary::kClamp, -0.5f, 1.0f}, UnaryFunction{Unary::kTanh}}) {
    for (bool bias : {false, true}) {
      for (bool residual : {false, true}) {
        for (size_t gap : {0, 3}) {
          check_depthwise(make_depthwise(12, {{1, 5, 6}}, {{1, 3, 3}}, {}, {{0, 1, 1}}), f, bias, residual,
                          gap);
          check_depthwise(make_depthwise(13, {{1, 5, 6}}, {{1, 5, 5}}, {}, {{0, 2, 2}}), f, bias, residual,
                          gap);
        }
      }
    }
  }
}

void check_pool(Conv c, size_t extra_out, const Extents& pads_end) {
  c.in_channels = c.out_channels = 1;
  for (size_t i = 0; i < 3; ++i) {
    const size_t window = (c.kernel[i] - 1) * c.dilation[i] + 1;
    c.out[i] = (c.in[i] + c.pads[i] + pads_end[i] - window) / c.stride[i] + 1;
  }
  c.out[2] += extra_out;
  c.in_stride = c.groups + 1;
  c.out_stride = c.groups + 2;
  SCOPED_TRACE(describe(c));
  const std::vector<float> x = random_floats(c.in_pixels() * c.in_stride, 1);
  const size_t pixels = c.out_pixels();
  std::vector<double> largest(pixels * c.groups, std::numeric_limits<float>::lowest()),
      sum(pixels * c.groups);
  std::vector<size_t> met(pixels);
  for_each_tap(c, [&](size_t out, size_t in, size_t) {
    ++met[out];
    for (size_t g = 0; g < c.groups; ++g) {
      const double v = x[in * c.in_stride + g];
      largest[out * c.groups + g] = std::max(largest[out * c.groups + g], v);
      sum[out * c.groups + g] += v;
    }
  });
  const size_t rows = c.batch * c.out[0] * c.out[1];
  std::vector<float> max(pixels * c.out_stride, kGuard), average(max), with_pads(max);
  for (const Range& part : {Range{0, rows / 2}, Range{rows / 2, rows}}) {
    pool(Pooling::kMaximum, c, x.data(), max.data(), part);
    pool(Pooling::kAverage, c, x.data(), average.data(), part);
    pool(Pooling::kAverageWithPads, c, x.data(), with_pads.data(), part);
  }
  for (size_t p = 0; p < pixels; ++p) {
    const size_t count = met[p];
    for (size_t g = 0; g < c.groups; ++g) {
      const size_t i = p * c.out_stride + g;
      ASSERT_EQ(max[i], largest[p * c.groups + g]);
      if (count > 0) {
        ASSERT_NEAR(average[i], sum[p * c.groups + g] / static_cast<double>(count), 1e-6);
      } else {
        ASSERT_TRUE(std::isnan(average[i]));
      }
      ASSERT_NEAR(with_pads[i], sum[p * c.groups + g] / static_cast<double>(c.kernel.product()), 1e-6);
    }
    for (size_t o = c.groups; o < c.out_stride; ++o) {
      ASSERT_EQ(max[p * c.out_stride + o], kGuard);
      ASSERT_EQ(average[p * c.out_stride + o], kGuard);
    }
  }
}

TEST(Pool, ShapesAndForms) {
  for (size_t channels : {1, 3, 4, 7, 16, 21}) {
    for (size_t kernel : {1, 2, 3}) {
      for (size_t stride : {1, 2, 3}) {
        for (size_t pad = 0; pad < kernel; ++pad) {
          check_pool(make_depthwise(channels, {{1, 5, 8}}, {{1, kernel, kernel}}, {{1, stride, stride}},
                                    {{0, pad, pad}}),
                     0, {{0, pad, 0}});
        }
      }
    }
  }
}

TEST(Pool, RoundedUpDilatedAndDeep) {
  check_pool(make_depthwise(5, {{1, 6, 6}}, {{1, 3, 3}}, {{1, 2, 2}}), 1, {{0, 0, 0}});
  check_pool(make_depthwise(5, {{1, 9, 9}}, {{1, 3, 3}}, {{1, 2, 2}}, {{0, 1, 1}}, {{1, 2, 2}}), 0,
             {{0, 1, 1}});
  check_pool(make_depthwise(5, {{4, 5, 6}}, {{2, 3, 2}}, {{2, 1, 2}}, {{1, 1, 0}}, {}, 2), 0, {{0, 1, 1}});
  check_pool(make_depthwise(6, {{1, 1, 9}}, {{1, 1, 3}}, {{1, 1, 2}}), 0, {{0, 0, 2}});
}

TEST(Pool, MaximumOfWhatIsNotGreater) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), low = std::numeric_limits<float>::lowest();
  Conv c = make_depthwise(4, {{1, 1, 4}}, {{1, 1, 2}}, {{1, 1, 2}});
  c.in_channels = c.out_channels = 1;
  c.in_stride = c.out_stride = 4;
  c.out = {{1, 1, 2}};
  const float x[] = {-kInf, nan, 1, nan, -kInf, 2, nan, nan, kInf, -1, -kInf, nan, 3, nan, -2, low};
  const float expected[] = {low, 2, 1, low, kInf, -1, -2, low};
  float y[8];
  pool(Pooling::kMaximum, c, x, y, {0, 1});
  for (size_t i = 0; i < 8; ++i) EXPECT_EQ(y[i], expected[i]) << i;
}

}  // namespace
}  // namespace wasmvino::kernels
