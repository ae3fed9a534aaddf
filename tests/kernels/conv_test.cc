// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <vector>

#include "kernels/depthwise.h"
#include "tests/kernels/activation_reference.h"
#include "tests/kernels/conv_reference.h"
#include "tests/kernels/quantised_filters.h"
#include "tests/kernels/registers.h"

namespace wasmvino::kernels {
namespace {

constexpr float kGuard = -777.0f;

struct Form {
  bool bias = true, residual = false;
  UnaryFunction activation;
  size_t gap = 0;                       // channels between pixels that belong to others
  std::optional<WeightBits> bits = {};  // of weights that stay quantised
};

void check_once(Conv c, const Form& form) {
  set_output_size(c);
  const size_t in_all = c.groups * c.in_channels, out_all = c.groups * c.out_channels,
               taps = c.kernel.product();
  c.in_stride = in_all + form.gap;
  c.out_stride = out_all + form.gap;
  SCOPED_TRACE(testing::Message() << "batch " << c.batch << ", groups " << c.groups << ", channels "
                                  << c.in_channels << " -> " << c.out_channels << ", in " << c.in[0] << "x"
                                  << c.in[1] << "x" << c.in[2] << ", kernel " << c.kernel[0] << "x"
                                  << c.kernel[1] << "x" << c.kernel[2] << ", stride " << c.stride[2]
                                  << ", dilation " << c.dilation[2] << ", pads " << c.pads[2] << ", gap "
                                  << form.gap);
  const std::vector<float> x = random_floats(c.in_pixels() * c.in_stride, 1);
  std::vector<float> w = random_floats(out_all * c.in_channels * taps, 2);
  const size_t filter = c.in_channels * taps;
  QuantisedFilters quantised(form.bits.value_or(WeightBits::kInt8), out_all % 2 == 0, c.groups > 1, w.size(),
                             out_all, std::max<size_t>(1, filter));
  if (form.bits) {
    w = quantised.values();
    std::vector<size_t> rows;
    for (size_t g = 0; g < c.groups; ++g) {
      rows.clear();
      for (size_t p = 0; p < filter; ++p) {
        rows.push_back(g * c.out_channels * filter + p % c.in_channels * taps + p / c.in_channels);
      }
      quantised.add_matrix(rows, filter, g * c.out_channels, c.out_channels);
    }
  }
  const std::vector<float> bias = random_floats(out_all, 3);
  const std::vector<float> residual = random_floats(c.out_pixels() * out_all, 4);
  std::vector<double> expected = reference_conv(c, x.data(), w.data());
  for (size_t i = 0; i < expected.size(); ++i) {
    if (form.bias) expected[i] += bias[i % out_all];
    if (form.residual) expected[i] += residual[i];
    expected[i] = activated(form.activation, expected[i]);
  }

  std::vector<float> packed(packed_conv_size(c) + 1, kGuard);
  pack_conv(c, {w.data(), c.out_channels * c.in_channels * taps, c.in_channels * taps, taps, 1},
            packed.data());
  ASSERT_EQ(packed.back(), kGuard);
  Epilogue epilogue;
  if (form.bias) epilogue.bias = bias.data();
  if (form.residual) epilogue.residual = {nullptr, residual.data(), out_all};
  epilogue.activate(form.activation);
  const PackedConv weights = form.bits ? PackedConv(quantised.matrices()) : PackedConv(packed.data());
  const size_t scratch_size = conv_scratch_size(c, form.bits.has_value()).value();
  std::vector<double> memory(scratch_size / sizeof(double) + 2, 0x1.7p9);

  const auto verify = [&](const std::vector<float>& y) {
    const double tolerance = 1e-6 + 4e-7 * std::sqrt(static_cast<double>(c.in_channels * taps)) * 4;
    for (size_t p = 0; p < c.out_pixels(); ++p) {
      for (size_t o = 0; o < out_all; ++o) {
        ASSERT_NEAR(y[p * c.out_stride + o], expected[p * out_all + o], tolerance)
            << "pixel " << p << ", channel " << o;
      }
      for (size_t o = out_all; o < c.out_stride; ++o) ASSERT_EQ(y[p * c.out_stride + o], kGuard);
    }
    ASSERT_EQ(memory.back(), 0x1.7p9);
  };
  std::vector<float> y(c.out_pixels() * c.out_stride, kGuard);
  conv(c, x.data(), weights, y.data(), epilogue, memory.data(), {0, c.out_pixels()}, {0, c.out_channels});
  verify(y);

  std::fill(y.begin(), y.end(), kGuard);
  const size_t pixel = c.out_pixels() / 3, channel = c.out_channels / 2 / 8 * 8;
  for (const Range& pixels : {Range{0, pixel}, Range{pixel, c.out_pixels()}}) {
    for (const Range& channels : {Range{0, channel}, Range{channel, c.out_channels}}) {
      conv(c, x.data(), weights, y.data(), epilogue, memory.data(), pixels, channels);
    }
  }
  verify(y);

  if (form.bits || !few_outputs_fit(c)) return;
  std::vector<float> in_rows(filter_rows_size(c) + 1, kGuard);
  pack_filter_rows(c, {w.data(), 0, c.in_channels * taps, taps, 1}, in_rows.data());
  ASSERT_EQ(in_rows.back(), kGuard);
  PackedConv filters(in_rows.data());
  filters.in_rows = true;
  std::fill(y.begin(), y.end(), kGuard);
  for (const Range& pixels : {Range{0, pixel}, Range{pixel, c.out_pixels()}}) {
    conv(c, x.data(), filters, y.data(), epilogue, memory.data(), pixels, {0, c.out_channels});
  }
  verify(y);
}

void check(const Conv& c, const Form& form) {
  with_both_registers([&] { check_once(c, form); });
}

TEST(Conv, PlaneShapes) {
  for (size_t in_channels : {1, 2, 3, 4, 5, 8, 17}) {
    for (size_t out_channels : {1, 4, 8, 9, 24, 35}) {
      check(make_conv(in_channels, out_channels, {{1, 6, 7}}, {{1, 3, 3}}, {}, {{0, 1, 1}}), {});
      check(make_conv(in_channels, out_channels, {{1, 9, 8}}, {{1, 3, 3}}, {{1, 2, 2}}, {{0, 1, 1}}), {});
      check(make_conv(in_channels, out_channels, {{1, 5, 5}}, {{1, 1, 1}}), {});
      check(make_conv(in_channels, out_channels, {{1, 5, 6}}, {{1, 1, 1}}, {{1, 2, 2}}), {});
      check(make_conv(in_channels, out_channels, {{1, 5, 4}}, {{1, 5, 4}}), {});  // one pixel
    }
  }
}

TEST(Conv, KernelsStridesPadsDilations) {
  for (size_t kernel : {1, 2, 3, 5, 7}) {
    for (size_t stride : {1, 2, 3}) {
      for (size_t dilation : {1, 2, 3}) {
        for (size_t pad : {0, 1, 3}) {
          Conv c = make_conv(3, 10, {{1, 13, 19}}, {{1, kernel, kernel}}, {{1, stride, stride}},
                             {{0, pad, pad}}, {{1, dilation, dilation}}, 1, 2);
          if ((kernel - 1) * dilation + 1 > 13 + 2 * pad) continue;
          check(c, {});
        }
      }
    }
  }
}

TEST(Conv, DeepChannelsAreCut) {
  check(make_conv(300, 9, {{1, 4, 5}}, {{1, 3, 3}}, {}, {{0, 1, 1}}), {});
  check(make_conv(513, 17, {{1, 3, 3}}, {{1, 1, 1}}), {});
  check(make_conv(70, 20, {{1, 7, 9}}, {{1, 5, 5}}, {}, {{0, 2, 2}}), {});
  check(make_conv(257, 40, {{1, 1, 1}}, {{1, 1, 1}}), {});  // a row
}

TEST(Conv, ManyPixels) { check(make_conv(3, 16, {{1, 40, 37}}, {{1, 7, 7}}, {{1, 2, 2}}, {{0, 3, 3}}), {}); }

TEST(Conv, OneAndThreeDimensions) {
  check(make_conv(2, 6, {{1, 1, 50}}, {{1, 1, 16}}, {{1, 1, 4}}), {});
  check(make_conv(1, 12, {{1, 1, 500}}, {{1, 1, 64}}, {{1, 1, 16}}, {{0, 0, 32}}), {});
  check(make_conv(3, 5, {{4, 5, 6}}, {{3, 3, 3}}, {}, {{1, 1, 1}}), {});
  check(make_conv(3, 5, {{5, 5, 6}}, {{2, 3, 1}}, {{2, 1, 3}}, {{1, 0, 0}}, {{2, 1, 1}}, 1, 2), {});
}

TEST(Conv, FewOutputs) {
  for (size_t out_channels : {1, 2, 3}) {
    for (size_t in_channels : {1, 4, 5, 12, 30}) {
      for (const UnaryFunction& activation :
           {UnaryFunction{Unary::kClamp, -0.5f, 1.0f}, UnaryFunction{Unary::kSigmoid}}) {
        for (size_t gap : {0, 3}) {
          Form form;
          form.residual = true;
          form.activation = activation;
          form.gap = gap;
          check(make_conv(in_channels, out_channels, {{1, 9, 11}}, {{1, 3, 3}}, {}, {{0, 1, 1}}, {}, 1, 2),
                form);
          check(make_conv(in_channels, out_channels, {{1, 7, 8}}, {{1, 5, 3}}, {{1, 2, 1}}, {{0, 2, 4}},
                          {{1, 1, 4}}),
                form);
          check(make_conv(in_channels, out_channels, {{1, 6, 7}}, {{1, 1, 1}}), form);
        }
      }
    }
  }
  ASSERT_TRUE(few_outputs_fit(make_conv(4, 3, {}, {})));
  ASSERT_FALSE(few_outputs_fit(make_conv(4, 4, {}, {})));
}

// Kernels so widely dilated that taps read padding for some tiles, or for all of them.
TEST(Conv, TapsInPadding) {
  Form form;
  form.residual = true;
  form.activation = {Unary::kSigmoid};
  for (size_t in_channels : {3, 40, 100, 300}) {
    for (size_t dilation : {4, 9, 12, 14, 40}) {
      check(make_conv(in_channels, 9, {{1, 14, 14}}, {{1, 3, 3}}, {}, {{0, dilation, dilation}},
                      {{1, dilation, dilation}}),
            form);
      check(make_conv(in_channels, 9, {{1, 1, 30}}, {{1, 1, 5}}, {}, {{0, 0, 2 * dilation}},
                      {{1, 1, dilation}}),
            {});
      check(make_conv(in_channels, 9, {{1, 14, 14}}, {{1, 3, 3}}, {}, {{0, dilation, dilation}},
                      {{1, dilation, dilation}}),
            {true, true, {Unary::kRelu}, 0, WeightBits::kInt8});
    }
  }
  check(make_conv(8, 9, {{3, 3, 3}}, {{3, 3, 3}}, {}, {{5, 5, 5}}, {{5, 5, 5}}), {});
  // Windows in the padding only.
  check(make_conv(8, 9, {{1, 3, 3}}, {{1, 1, 1}}, {}, {{0, 4, 4}}), {});
}

TEST(Conv, LongRunsOfFewChannels) {
  check(make_conv(1, 9, {{1, 1, 2000}}, {{1, 1, 400}}, {{1, 1, 160}}, {{0, 0, 200}}), {});
  check(make_conv(3, 2, {{1, 2, 900}}, {{1, 2, 700}}, {{1, 1, 37}}, {{0, 1, 300}}), {});
}

TEST(Conv, Groups) {
  // So many weights that groups are computed one after the other.
  check(make_conv(40, 192, {{1, 10, 11}}, {{1, 3, 3}}, {}, {{0, 1, 1}}, {}, 2), {});
  for (size_t groups : {2, 3, 5}) {
    check(make_conv(4, 8, {{1, 6, 7}}, {{1, 3, 3}}, {}, {{0, 1, 1}}, {}, groups), {});
    check(make_conv(3, 5, {{1, 6, 7}}, {{1, 3, 3}}, {{1, 2, 2}}, {{0, 1, 1}}, {}, groups, 2), {});
    check(make_conv(1, 2, {{1, 6, 7}}, {{1, 2, 3}}, {}, {}, {}, groups), {});
    check(make_conv(4, 4, {{1, 12, 13}}, {{1, 3, 3}}, {}, {{0, 1, 1}}, {}, groups), {});
    check(make_conv(6, 12, {{1, 12, 13}}, {{1, 3, 3}}, {}, {{0, 1, 1}}, {}, groups), {});
    check(make_conv(2, 7, {{1, 5, 5}}, {{1, 3, 3}}, {}, {{0, 1, 1}}, {}, groups), {});
  }
}

TEST(Conv, Forms) {
  for (const UnaryFunction& activation :
       {UnaryFunction{}, UnaryFunction{Unary::kRelu}, UnaryFunction{Unary::kClamp, -0.5f, 1.0f},
        UnaryFunction{Unary::kSigmoid}}) {
    for (bool bias : {false, true}) {
      for (bool residual : {false, true}) {
        for (size_t gap : {0, 3}) {
          const Form form{bias, residual, activation, gap};
          check(make_conv(5, 11, {{1, 7, 6}}, {{1, 3, 3}}, {}, {{0, 1, 1}}), form);
          check(make_conv(130, 11, {{1, 5, 6}}, {{1, 3, 3}}, {}, {{0, 1, 1}}, {}, 2), form);
        }
      }
    }
  }
}

TEST(Conv, Quantised) {
  for (const WeightBits bits : kAllBits) {
    Form form{true, false, {Unary::kRelu}, 0, bits};
    for (size_t in_channels : {1, 2, 3, 4, 5, 8, 17, 70}) {
      for (size_t out_channels : {1, 7, 8, 9, 24, 35}) {
        check(make_conv(in_channels, out_channels, {{1, 6, 7}}, {{1, 3, 3}}, {}, {{0, 1, 1}}), form);
        check(make_conv(in_channels, out_channels, {{1, 5, 6}}, {{1, 1, 1}}, {{1, 2, 2}}), form);
        check(make_conv(in_channels, out_channels, {{1, 5, 4}}, {{1, 5, 4}}), form);  // one pixel
      }
    }
    // The depth is cut, within taps and between them.
    check(make_conv(300, 9, {{1, 4, 5}}, {{1, 3, 3}}, {}, {{0, 1, 1}}), form);
    check(make_conv(257, 75, {{1, 1, 2}}, {{1, 1, 1}}), form);  // a tile of two rows
    check(make_conv(257, 75, {{1, 1, 1}}, {{1, 1, 1}}), form);
    check(make_conv(30, 20, {{1, 7, 9}}, {{1, 5, 5}}, {}, {{0, 2, 2}}), form);
    check(make_conv(3, 16, {{1, 40, 37}}, {{1, 7, 7}}, {{1, 2, 2}}, {{0, 3, 3}}), form);
    check(make_conv(3, 10, {{1, 13, 19}}, {{1, 3, 3}}, {{1, 2, 2}}, {{0, 1, 1}}, {{1, 2, 2}}, 1, 2), form);
    check(make_conv(3, 5, {{4, 5, 6}}, {{3, 3, 3}}, {}, {{1, 1, 1}}), form);
    form.residual = true;
    form.gap = 3;
    for (size_t groups : {2, 3, 5}) {
      check(make_conv(4, 8, {{1, 6, 7}}, {{1, 3, 3}}, {}, {{0, 1, 1}}, {}, groups), form);
      check(make_conv(3, 5, {{1, 6, 7}}, {{1, 3, 3}}, {{1, 2, 2}}, {{0, 1, 1}}, {}, groups, 2), form);
      check(make_conv(1, 2, {{1, 6, 7}}, {{1, 2, 3}}, {}, {}, {}, groups), form);
    }
  }
}

// --- transposed
// -------------------------------------------------------------------------------------------------------

void check_transposed_once(Conv c, const Extents& extra, const Form& form) {
  for (size_t i = 0; i < 3; ++i) {
    c.out[i] = c.stride[i] * (c.in[i] - 1) + (c.kernel[i] - 1) * c.dilation[i] + 1 + extra[i] - 2 * c.pads[i];
  }
  const size_t in_all = c.groups * c.in_channels, out_all = c.groups * c.out_channels,
               taps = c.kernel.product();
  c.in_stride = in_all + form.gap;
  c.out_stride = out_all + form.gap;
  SCOPED_TRACE(testing::Message() << "groups " << c.groups << ", channels " << c.in_channels << " -> "
                                  << c.out_channels << ", in " << c.in[1] << "x" << c.in[2] << ", kernel "
                                  << c.kernel[1] << "x" << c.kernel[2] << ", stride " << c.stride[2]
                                  << ", dilation " << c.dilation[2] << ", pads " << c.pads[2]);
  const std::vector<float> x = random_floats(c.in_pixels() * c.in_stride, 1),
                           bias = random_floats(out_all, 3);
  std::vector<float> w = random_floats(in_all * c.out_channels * taps, 2);
  // One scale and zero point for all groups' channels of the same number: groups are the outermost axis.
  QuantisedFilters quantised(form.bits.value_or(WeightBits::kInt8), out_all % 2 == 0, c.groups > 1, w.size(),
                             c.out_channels, taps);
  if (form.bits) {
    w = quantised.values();
    std::vector<size_t> of_phase(taps), rows;
    for (size_t g = 0; g < c.groups; ++g) {
      for (size_t phase = 0; phase < c.stride.product(); ++phase) {
        rows.clear();
        const size_t count = taps_of_phase(c, phase, of_phase.data());
        for (size_t p = 0; p < count * c.in_channels; ++p) {
          rows.push_back((g * c.in_channels + p % c.in_channels) * c.out_channels * taps +
                         of_phase[p / c.in_channels]);
        }
        quantised.add_matrix(rows, taps, 0, c.out_channels);
      }
    }
  }
  std::vector<double> expected(c.out_pixels() * out_all);
  // Scattered, as the operation is defined: the convolution with the roles of input and output exchanged.
  Conv forward = c;
  std::swap(forward.in, forward.out);
  for_each_tap(forward, [&](size_t in, size_t out, size_t tap) {
    for (size_t g = 0; g < c.groups; ++g) {
      for (size_t i = 0; i < c.in_channels; ++i) {
        for (size_t o = 0; o < c.out_channels; ++o) {
          expected[out * out_all + g * c.out_channels + o] +=
              static_cast<double>(x[in * c.in_stride + g * c.in_channels + i]) *
              w[((g * c.in_channels + i) * c.out_channels + o) * taps + tap];
        }
      }
    }
  });
  for (size_t i = 0; i < expected.size(); ++i)
    expected[i] = activated(form.activation, expected[i] + bias[i % out_all]);

  std::vector<float> packed(packed_conv_size(c) + 1, kGuard);
  const ConvWeights weights = {w.data(), c.in_channels * c.out_channels * taps, taps, c.out_channels * taps,
                               1};
  pack_transposed_conv(c, weights, packed.data());
  ASSERT_EQ(packed.back(), kGuard);
  Epilogue epilogue;
  epilogue.bias = bias.data();
  epilogue.activate(form.activation);
  const PackedConv filters = form.bits ? PackedConv(quantised.matrices()) : PackedConv(packed.data());
  std::vector<double> memory(
      transposed_conv_scratch_size(c, form.bits.has_value()).value() / sizeof(double) + 2, 0x1.7p9);
  std::vector<float> y(c.out_pixels() * c.out_stride, kGuard);
  const size_t rows = c.batch * c.out[0] * c.out[1], channel = c.out_channels / 2 / 8 * 8;
  for (const Range& part : {Range{0, rows / 3}, Range{rows / 3, rows}}) {
    for (const Range& channels : {Range{0, channel}, Range{channel, c.out_channels}}) {
      transposed_conv(c, x.data(), filters, y.data(), epilogue, memory.data(), part, channels);
    }
  }
  const auto verify = [&] {
    const double tolerance = 1e-6 + 2e-6 * std::sqrt(static_cast<double>(c.in_channels * taps));
    for (size_t p = 0; p < c.out_pixels(); ++p) {
      for (size_t o = 0; o < out_all; ++o) {
        ASSERT_NEAR(y[p * c.out_stride + o], expected[p * out_all + o], tolerance)
            << "pixel " << p << ", channel " << o;
      }
      for (size_t o = out_all; o < c.out_stride; ++o) ASSERT_EQ(y[p * c.out_stride + o], kGuard);
    }
    ASSERT_EQ(memory.back(), 0x1.7p9);
  };
  verify();

  if (!form.bits && c.in_channels == 1 && c.out_channels == 1) {
    std::vector<float> by_channel(packed_depthwise_size(c) + 1, kGuard);
    pack_depthwise(c, weights, by_channel.data());
    ASSERT_EQ(by_channel.back(), kGuard);
    std::fill(y.begin(), y.end(), kGuard);
    for (const Range& part : {Range{0, rows / 3}, Range{rows / 3, rows}}) {
      transposed_depthwise(c, x.data(), by_channel.data(), y.data(), epilogue, part);
    }
    verify();
  }
  if (form.bits || !few_outputs_fit(c, true)) return;
  std::vector<float> rows_of_filters(filter_rows_size(c) + 1, kGuard);
  pack_transposed_filter_rows(c, weights, rows_of_filters.data());
  ASSERT_EQ(rows_of_filters.back(), kGuard);
  PackedConv in_rows(rows_of_filters.data());
  in_rows.in_rows = true;
  std::fill(y.begin(), y.end(), kGuard);
  for (const Range& part : {Range{0, rows / 3}, Range{rows / 3, rows}}) {
    transposed_conv(c, x.data(), in_rows, y.data(), epilogue, memory.data(), part, {0, c.out_channels});
  }
  verify();
}

void check_transposed(const Conv& c, const Extents& extra = {{0, 0, 0}}, const Form& form = {}) {
  with_both_registers([&] { check_transposed_once(c, extra, form); });
}

TEST(TransposedConv, KernelsStridesPadsDilations) {
  for (size_t kernel : {1, 2, 3, 4, 5}) {
    for (size_t stride : {1, 2, 3}) {
      for (size_t dilation : {1, 2, 3}) {
        for (size_t pad : {0, 1, 2}) {
          if (stride * 3 + (kernel - 1) * dilation + 1 <= 2 * pad) continue;
          check_transposed(make_conv(3, 9, {{1, 4, 6}}, {{1, kernel, kernel}}, {{1, stride, stride}},
                                     {{0, pad, pad}}, {{1, dilation, dilation}}, 1, 2));
          check_transposed(make_conv(1, 1, {{1, 4, 6}}, {{1, kernel, kernel}}, {{1, stride, stride}},
                                     {{0, pad, pad}}, {{1, dilation, dilation}}, 13, 2),
                           {{0, 1, 0}});
        }
      }
    }
  }
}

TEST(TransposedConv, FewOutputs) {
  for (size_t out_channels : {1, 2, 3}) {
    for (size_t in_channels : {4, 10, 32}) {
      for (size_t kernel : {1, 2, 4}) {
        Form form;
        form.activation = {Unary::kSigmoid};
        form.gap = kernel == 2 ? 3 : 0;
        check_transposed(make_conv(in_channels, out_channels, {{1, 5, 12}}, {{1, kernel, kernel}},
                                   {{1, 2, 2}}, {{0, 0, 0}}, {}, 1, 2),
                         {{0, 1, 0}}, form);
      }
    }
  }
}

TEST(TransposedConv, ChannelsGroupsAndDimensions) {
  for (size_t in_channels : {1, 4, 17, 300}) {
    for (size_t out_channels : {1, 8, 19}) {
      check_transposed(
          make_conv(in_channels, out_channels, {{1, 5, 12}}, {{1, 4, 4}}, {{1, 2, 2}}, {{0, 1, 1}}),
          {{0, 1, 1}});
    }
  }
  check_transposed(make_conv(4, 5, {{1, 3, 5}}, {{1, 3, 3}}, {{1, 2, 2}}, {{0, 1, 1}}, {}, 3), {{0, 1, 0}});
  check_transposed(make_conv(3, 4, {{2, 3, 4}}, {{3, 2, 3}}, {{2, 2, 1}}, {{1, 0, 1}}));
  check_transposed(make_conv(3, 4, {{1, 1, 40}}, {{1, 1, 8}}, {{1, 1, 4}}, {{0, 0, 2}}));
  check_transposed(make_conv(1, 1, {{2, 3, 4}}, {{3, 2, 3}}, {{2, 2, 1}}, {{1, 0, 1}}, {}, 8));
  check_transposed(make_conv(1, 1, {{1, 1, 9}}, {{1, 1, 2}}, {{1, 1, 5}}, {}, {}, 5));  // some read nothing
}

TEST(TransposedConv, Forms) {
  for (const UnaryFunction& activation : {UnaryFunction{Unary::kRelu}, UnaryFunction{Unary::kSigmoid}}) {
    check_transposed(make_conv(1, 1, {{1, 7, 9}}, {{1, 3, 3}}, {{1, 2, 2}}, {}, {}, 11), {},
                     {true, false, activation, 2});
    check_transposed(make_conv(6, 11, {{1, 7, 9}}, {{1, 3, 3}}, {{1, 2, 2}}), {},
                     {true, false, activation, 2});
  }
}

TEST(TransposedConv, Quantised) {
  for (const WeightBits bits : kAllBits) {
    const Form form{true, false, {Unary::kRelu}, 2, bits};
    for (size_t in_channels : {1, 4, 17, 300}) {
      for (size_t out_channels : {1, 8, 19}) {
        check_transposed(
            make_conv(in_channels, out_channels, {{1, 5, 12}}, {{1, 4, 4}}, {{1, 2, 2}}, {{0, 1, 1}}),
            {{0, 1, 1}}, form);
      }
    }
    check_transposed(make_conv(3, 9, {{1, 4, 6}}, {{1, 3, 3}}, {{1, 2, 2}}, {{0, 1, 1}}, {{1, 2, 2}}, 1, 2),
                     {}, form);
    check_transposed(make_conv(4, 5, {{1, 3, 5}}, {{1, 3, 3}}, {{1, 3, 2}}, {{0, 1, 1}}, {}, 3), {{0, 1, 0}},
                     form);
    check_transposed(make_conv(3, 4, {{2, 3, 4}}, {{3, 2, 3}}, {{2, 2, 1}}, {{1, 0, 1}}), {}, form);
    check_transposed(make_conv(5, 6, {{1, 4, 4}}, {{1, 1, 1}}, {{1, 2, 2}}), {},
                     form);  // phases without taps
  }
}

}  // namespace
}  // namespace wasmvino::kernels
