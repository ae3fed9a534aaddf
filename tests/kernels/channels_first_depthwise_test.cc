// SPDX-License-Identifier: Apache-2.0
#include "kernels/channels_first_depthwise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/kernels/activation_reference.h"
#include "tests/kernels/conv_reference.h"

namespace wasmvino::kernels {
namespace {

constexpr float kGuard = -777.0f;

void check(Conv c, const UnaryFunction& activation = {}, bool bias_used = true) {
  if (c.out[2] == 1) set_output_size(c);
  const size_t outputs = c.groups * c.out_channels;
  c.in_stride = c.groups;
  c.out_stride = outputs;
  SCOPED_TRACE(testing::Message() << "channels " << c.groups << " -> " << outputs << ", in " << c.in[1] << "x"
                                  << c.in[2] << ", kernel " << c.kernel[1] << "x" << c.kernel[2]
                                  << ", stride " << c.stride[2] << ", dilation " << c.dilation[2] << ", pads "
                                  << c.pads[1] << "," << c.pads[2] << ", out " << c.out[1] << "x"
                                  << c.out[2]);
  ASSERT_TRUE(channels_first_depthwise_fits(c));
  const size_t in = c.in.product(), out = c.out.product(), planes = c.batch * outputs;
  const std::vector<float> x = random_floats(c.batch * c.groups * in, 1),
                           w = random_floats(outputs * c.kernel.product(), 2),
                           bias = random_floats(outputs, 3);
  std::vector<float> rows(x.size());  // channels last
  for (size_t i = 0; i < x.size(); ++i) {
    rows[(i / in / c.groups * in + i % in) * c.groups + i / in % c.groups] = x[i];
  }
  const std::vector<double> expected = reference_conv(c, rows.data(), w.data());
  Epilogue epilogue;
  if (bias_used) epilogue.bias = bias.data();
  epilogue.activate(activation);
  std::vector<float> scratch(channels_first_depthwise_scratch_size(c) + 1, kGuard),
      y(planes * out + 1, kGuard);
  for (const Range& part : {Range{0, planes / 2}, Range{planes / 2, planes}}) {
    channels_first_depthwise(c, x.data(), w.data(), y.data(), epilogue, scratch.data(), part);
  }
  EXPECT_EQ(scratch.back(), kGuard);
  EXPECT_EQ(y.back(), kGuard);
  for (size_t i = 0; i < planes * out; ++i) {
    const size_t channel = i / out % outputs;
    double value = expected[(i / out / outputs * out + i % out) * outputs + channel];
    if (bias_used) value += bias[channel];
    ASSERT_NEAR(y[i], activated(activation, value), 2e-6) << "element " << i;
  }
}

TEST(ChannelsFirstDepthwise, KernelsStridesPadsDilations) {
  for (size_t kernel : {1, 2, 3, 5}) {
    for (size_t stride : {1, 2, 3, 4}) {
      for (size_t dilation : {1, 2, 3}) {
        for (size_t pad : {0, 1, 4}) {
          check(make_depthwise(3, {{1, 21, 37}}, {{1, kernel, kernel}}, {{1, stride, stride}},
                               {{0, pad, pad}}, {{1, dilation, dilation}}, 2));
        }
      }
    }
  }
}

TEST(ChannelsFirstDepthwise, WidthsAndUnevenPads) {
  for (size_t width = 6; width < 41; ++width) {
    check(make_depthwise(2, {{1, 3, width}}, {{1, 3, 3}}, {}, {{0, 1, 1}}));
    Conv c = make_depthwise(2, {{1, 9, width}}, {{1, 2, 3}}, {{1, 1, 1}}, {{0, 0, 2}});
    c.out = {{1, 9, width + 1}};  // rows and columns behind the input too
    check(c);
  }
  check(make_depthwise(4, {{1, 1, 300}}, {{1, 1, 9}}, {{1, 1, 2}}, {{0, 0, 4}}));
}

TEST(ChannelsFirstDepthwise, Forms) {
  for (const UnaryFunction& f : {UnaryFunction{}, UnaryFunction{Unary::kRelu},
                                 UnaryFunction{Unary::kClamp, -0.5f, 1.0f}, UnaryFunction{Unary::kTanh}}) {
    for (bool bias : {false, true})
      check(make_depthwise(5, {{1, 19, 18}}, {{1, 3, 3}}, {}, {{0, 1, 1}}), f, bias);
  }
}

TEST(ChannelsFirstDepthwise, FiltersOverOneChannel) {
  for (size_t filters : {1, 2, 4}) {
    check(make_conv(1, filters, {{1, 9, 33}}, {{1, 3, 3}}, {}, {{0, 1, 1}}, {}, 1, 2));
    check(make_conv(1, filters, {{1, 1, 70}}, {{1, 1, 31}}, {{1, 1, 2}}, {{0, 0, 15}}));
  }
  Conv c = make_conv(1, 5, {{1, 9, 33}}, {{1, 3, 3}});
  set_output_size(c);
  EXPECT_FALSE(channels_first_depthwise_fits(c));
  c.out_channels = c.groups = 2;
  EXPECT_FALSE(channels_first_depthwise_fits(c));
}

}  // namespace
}  // namespace wasmvino::kernels
