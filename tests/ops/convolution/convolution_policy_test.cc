// SPDX-License-Identifier: Apache-2.0
#include "ops/convolution/convolution_policy.h"

#include "tests/kernels/conv_reference.h"

namespace wasmvino::test::convolution_policy_test {
namespace {

using kernels::Conv;
using kernels::make_conv;
using ops::ConvolutionForm;

ConvolutionForm form(Conv c, bool channels_first, bool residual = false) {
  set_output_size(c);
  c.in_stride = c.in_channels;
  c.out_stride = c.out_channels;
  return ops::choose_convolution(
      c, {.constant_filters = true, .channels_first = channels_first, .residual = residual});
}

Conv filter(size_t in_channels, size_t out_channels, size_t kernel) {
  return make_conv(in_channels, out_channels, {{1, 64, 64}}, {{1, kernel, kernel}});
}

TEST(ConvolutionPolicy, FewChannels) {
  // One channel has the same layout in NHWC and NCHW.
  for (const bool channels_first : {false, true}) {
    EXPECT_EQ(form(filter(1, 1, 5), channels_first), ConvolutionForm::kChannelsFirstDepthwise);
  }
  EXPECT_EQ(form(filter(1, 1, 9), false, true), ConvolutionForm::kFewOutputs);
  EXPECT_EQ(form(filter(1, 1, 17), true), ConvolutionForm::kFewOutputs);  // too many taps
  EXPECT_EQ(form(filter(1, 4, 3), true), ConvolutionForm::kChannelsFirstDepthwise);
  EXPECT_EQ(form(filter(1, 5, 3), true), ConvolutionForm::kIndirect);
  EXPECT_EQ(form(filter(1, 4, 3), false), ConvolutionForm::kIndirect);
  for (const bool channels_first : {false, true}) {
    EXPECT_EQ(form(filter(4, 1, 3), channels_first), ConvolutionForm::kFewOutputs);
  }
  EXPECT_EQ(form(filter(16, 1, 1), true), ConvolutionForm::kChannelsFirstMatrix);
  EXPECT_EQ(form(filter(16, 1, 1), false), ConvolutionForm::kFewOutputs);
}

// With few tiles or many channels, kernels over depth are faster in the direct form.
TEST(ConvolutionPolicy, KernelsOverDepth) {
  const auto cube = [](size_t channels, size_t size) {
    return make_conv(channels, channels, {{4, size, size}}, {{3, 3, 3}}, {}, {{1, 1, 1}});
  };
  EXPECT_EQ(form(cube(32, 16), false), ConvolutionForm::kWinograd);
  EXPECT_EQ(form(cube(128, 16), false), ConvolutionForm::kWinogradFromDirect);
  EXPECT_EQ(form(cube(256, 16), false), ConvolutionForm::kIndirect);
  EXPECT_EQ(form(cube(32, 4), false), ConvolutionForm::kIndirect);
}

}  // namespace
}  // namespace wasmvino::test::convolution_policy_test
