// SPDX-License-Identifier: Apache-2.0
#include "kernels/winograd.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <vector>

#include "tests/kernels/activation_reference.h"
#include "tests/kernels/conv_reference.h"
#include "tests/kernels/quantised_filters.h"

namespace wasmvino::kernels {
namespace {

constexpr float kGuard = -777.0f;

void check(Conv c, const UnaryFunction& activation = {}, bool bias_used = true, bool residual_used = false,
           size_t gap = 0, std::optional<WeightBits> bits = {}, bool direct = false) {
  c.kernel[1] = c.kernel[2] = 3;
  const size_t taps = c.kernel.product();
  if (c.out[2] == 1) set_output_size(c);
  c.in_stride = c.in_channels + gap;
  c.out_stride = c.out_channels + gap;
  SCOPED_TRACE(testing::Message() << c.in_channels << " -> " << c.out_channels << ", depth " << c.kernel[0]
                                  << ", in " << c.in[0] << "x" << c.in[1] << "x" << c.in[2] << ", out "
                                  << c.out[1] << "x" << c.out[2] << ", pads " << c.pads[2] << ", gap " << gap
                                  << ", activation " << static_cast<int>(activation.kind));
  ASSERT_TRUE(winograd_fits(c));
  std::vector<float> w = random_floats(c.in_channels * c.out_channels * taps, 2);
  QuantisedFilters quantised(bits.value_or(WeightBits::kInt8), c.out_channels % 2 == 0, gap > 0, w.size(),
                             c.out_channels, c.in_channels * taps);
  if (bits) {
    w = quantised.values();
    std::vector<size_t> rows;
    for (size_t p = 0; p < c.in_channels * taps; ++p)
      rows.push_back(p % c.in_channels * taps + p / c.in_channels);
    quantised.add_matrix(rows, c.in_channels * taps, 0, c.out_channels);
  }
  const std::vector<float> x = random_floats(c.in_pixels() * c.in_stride, 1),
                           bias = random_floats(c.out_channels, 3),
                           residual = random_floats(c.out_pixels() * c.out_channels, 4);
  std::vector<double> expected = reference_conv(c, x.data(), w.data());
  for (size_t i = 0; i < expected.size(); ++i) {
    if (bias_used) expected[i] += bias[i % c.out_channels];
    if (residual_used) expected[i] += residual[i];
    expected[i] = activated(activation, expected[i]);
  }
  std::vector<float> packed(packed_winograd_size(c) + 1, kGuard),
      scratch((bits || direct ? winograd_from_direct_scratch_size(c) : winograd_scratch_size(c)).value() + 1,
              kGuard),
      y(c.out_pixels() * c.out_stride, kGuard);
  const ConvWeights filters = {w.data(), 0, c.in_channels * taps, taps, 1};
  direct ? pack_conv(c, filters, packed.data()) : pack_winograd(c, filters, packed.data());
  ASSERT_EQ(packed.back(), kGuard);
  Epilogue epilogue;
  if (bias_used) epilogue.bias = bias.data();
  if (residual_used) epilogue.residual = {nullptr, residual.data(), c.out_channels};
  epilogue.activate(activation);
  const PackedConv weights = bits ? PackedConv(quantised.matrices()) : PackedConv(packed.data());
  const size_t tiles = winograd_tiles(c);
  for (const Range& part : {Range{0, tiles / 3}, Range{tiles / 3, tiles}}) {
    if (!bits && !direct) {
      winograd(c, x.data(), packed.data(), y.data(), epilogue, scratch.data(), part);
      continue;
    }
    const size_t channel = c.out_channels / 2 / 8 * 8;
    for (const Range& channels : {Range{0, channel}, Range{channel, c.out_channels}}) {
      winograd_from_direct(c, x.data(), weights, y.data(), epilogue, scratch.data(), part, channels);
    }
  }
  ASSERT_EQ(scratch.back(), kGuard);
  const double tolerance = 4e-6 * std::sqrt(static_cast<double>(c.in_channels * taps)) + 1e-6;
  for (size_t p = 0; p < c.out_pixels(); ++p) {
    for (size_t o = 0; o < c.out_channels; ++o) {
      ASSERT_NEAR(y[p * c.out_stride + o], expected[p * c.out_channels + o], tolerance)
          << "pixel " << p << ", channel " << o;
    }
    for (size_t o = c.out_channels; o < c.out_stride; ++o) ASSERT_EQ(y[p * c.out_stride + o], kGuard);
  }
}

Conv make(size_t in_channels, size_t out_channels, Extents in, size_t pad, size_t batch = 1) {
  Conv c;
  c.batch = batch;
  c.in_channels = in_channels;
  c.out_channels = out_channels;
  c.in = in;
  c.pads = {{0, pad, pad}};
  return c;
}

TEST(Winograd, Sizes) {
  for (size_t size = 1; size <= 11; ++size) {
    for (size_t pad : {0, 1, 2}) {
      if (size + 2 * pad < 3) continue;
      check(make(4, 8, {{1, size, size + 1}}, pad, 2));
    }
  }
  check(make(8, 16, {{1, 37, 41}}, 1));
  check(make(3, 5, {{3, 6, 7}}, 1));
}

// Kernels over depth, with pads, dilations and neither.
TEST(Winograd, Depth) {
  for (size_t in_channels : {1, 4, 5, 8, 130}) {
    for (size_t depth : {2, 3}) {
      for (size_t pad : {0, 1, 3}) {
        for (size_t dilation : {1, 2}) {
          Conv c = make(in_channels, 12, {{5, 6, 7}}, 1, 2);
          c.kernel[0] = depth;
          c.pads[0] = pad;
          c.dilation[0] = dilation;
          check(c);
          check(c, {}, true, false, 0, {}, true);
          check(c, {}, true, false, 0, WeightBits::kInt8);
        }
      }
    }
  }
}

TEST(Winograd, Channels) {
  for (size_t in_channels : {1, 2, 3, 4, 5, 8, 17, 64, 300}) {
    for (size_t out_channels : {1, 3, 4, 7, 8, 9, 20, 65})
      check(make(in_channels, out_channels, {{1, 6, 9}}, 1));
  }
}

TEST(Winograd, Forms) {
  for (const UnaryFunction& f : {UnaryFunction{}, UnaryFunction{Unary::kRelu},
                                 UnaryFunction{Unary::kClamp, -0.5f, 1.0f}, UnaryFunction{Unary::kTanh}}) {
    for (bool bias : {false, true}) {
      for (bool residual : {false, true}) {
        for (size_t gap : {0, 3}) check(make(6, 11, {{1, 7, 6}}, 1), f, bias, residual, gap);
      }
    }
  }
}

TEST(Winograd, UnevenPads) {
  Conv c = make(4, 8, {{1, 6, 7}}, 1);
  c.out = {{1, 5, 7}};
  check(c);
}

TEST(Winograd, FromDirect) {
  for (const size_t in_channels : {1, 3, 4, 17, 64, 67, 300}) {
    for (const size_t out_channels : {1, 4, 8, 9, 65}) {
      check(make(in_channels, out_channels, {{1, 6, 9}}, 1), {}, true, false, 0, {}, true);
    }
  }
  check(make(6, 11, {{1, 7, 6}}, 0, 2), UnaryFunction{Unary::kTanh}, true, true, 3, {}, true);
  check(make(8, 18, {{1, 37, 71}}, 1), {}, true, false, 0, {}, true);  // several blocks
}

TEST(Winograd, Quantised) {
  for (const WeightBits bits : kAllBits) {
    for (const size_t in_channels : {1, 2, 3, 4, 5, 8, 17, 64, 67, 300}) {
      for (const size_t out_channels : {1, 3, 4, 8, 9, 20, 65}) {
        check(make(in_channels, out_channels, {{1, 6, 9}}, 1), {}, true, false, 0, bits);
      }
    }
    for (const UnaryFunction& f : {UnaryFunction{Unary::kClamp, -0.5f, 1.0f}, UnaryFunction{Unary::kTanh}}) {
      check(make(6, 11, {{1, 7, 6}}, 0, 2), f, true, true, 3, bits);
      check(make(8, 18, {{1, 37, 71}}, 1), f, false, false, 0, bits);  // several blocks
    }
  }
}

}  // namespace
}  // namespace wasmvino::kernels
