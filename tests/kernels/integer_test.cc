// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/integer_conv.h"
#include "kernels/integer_elementwise.h"
#include "kernels/integer_winograd.h"
#include "kernels/winograd.h"
#include "tests/kernels/conv_reference.h"
#include "tests/kernels/integer_forms.h"
#include "tests/kernels/registers.h"

namespace wasmvino::kernels {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

std::vector<int8_t> random_weights(size_t n, uint32_t seed) {
  Random random(seed);
  std::vector<int8_t> values(n);
  for (int8_t& v : values) v = static_cast<int8_t>(random.integer(-128, 127));
  return values;
}

// The epilogue's arrays, with columns of a group filled up to a multiple of `multiple`.
struct EpilogueArrays {
  size_t padded;
  std::vector<int32_t> start;
  std::vector<float> scale, bias, residual_scale, slopes, inverse, shift;

  EpilogueArrays(size_t groups, size_t columns, size_t multiple, uint32_t seed)
      : padded((columns + multiple - 1) / multiple * multiple) {
    Random random(seed);
    for (size_t i = 0; i < groups * padded; ++i) {
      start.push_back(static_cast<int32_t>(random.integer(-3000, 3000)));
      scale.push_back(0.003f + 0.002f * random.real());
      bias.push_back(100 + 50 * random.real());
      residual_scale.push_back(0.25f * random.real());
      slopes.push_back(0.5f * random.real());
      inverse.push_back(0.75f + 0.25f * random.real());
      shift.push_back(60 + 20 * random.real());
    }
  }
  Epilogue epilogue() const {
    Epilogue e;
    e.start = start.data();
    e.scale = scale.data();
    e.bias = bias.data();
    return e;
  }
  // Adds the steps that are not clamps: a PRelu and other levels.
  void add_steps(Epilogue& e) const {
    e.slopes = slopes.data();
    e.inverse = inverse.data();
    e.shift = shift.data();
    e.most = 250;
  }
  float after_steps(size_t i, float v) const {
    if (v < 0) v *= slopes[i];
    v *= inverse[i];
    v += shift[i];
    return std::clamp(v, 0.0f, 250.0f);
  }
  float value(size_t i, int64_t sum) const {
    return static_cast<float>(static_cast<int32_t>(sum) + start[i]) * scale[i] + bias[i];
  }
};

uint8_t rounded(float v) { return static_cast<uint8_t>(std::nearbyint(v)); }

TEST(Integers, RelaxedDotIsTakenOnlyWhereItIsExact) {
  EXPECT_TRUE(has_relaxed_dot() || integer_dot() == IntegerDot::kPairs);
}

struct Problem {
  size_t batch, groups, in_channels, out_channels;
  Extents in, kernel, stride, dilation, pads;
};

Conv conv_of(const Problem& p) {
  Conv c;
  c.batch = p.batch;
  c.groups = p.groups;
  c.in_channels = p.in_channels;
  c.out_channels = p.out_channels;
  c.in = p.in;
  c.kernel = p.kernel;
  c.stride = p.stride;
  c.dilation = p.dilation;
  c.pads = p.pads;
  set_output_size(c);
  c.in_stride = p.groups * p.in_channels;
  c.out_stride = p.groups * p.out_channels;
  return c;
}

const Problem kProblems[] = {
    {1, 1, 1, 1, {{1, 1, 1}}, {{1, 1, 1}}, {{1, 1, 1}}, {{1, 1, 1}}, {{0, 0, 0}}},
    {2, 1, 16, 24, {{1, 5, 7}}, {{1, 1, 1}}, {{1, 1, 1}}, {{1, 1, 1}}, {{0, 0, 0}}},
    {1, 1, 20, 9, {{1, 5, 7}}, {{1, 1, 1}}, {{1, 1, 1}}, {{1, 1, 1}}, {{0, 0, 0}}},
    {1, 1, 13, 17, {{1, 6, 7}}, {{1, 1, 1}}, {{1, 2, 2}}, {{1, 1, 1}}, {{0, 0, 0}}},
    {1, 1, 3, 12, {{1, 15, 14}}, {{1, 3, 3}}, {{1, 2, 2}}, {{1, 1, 1}}, {{0, 1, 1}}},
    {1, 1, 3, 7, {{1, 9, 3}}, {{1, 7, 7}}, {{1, 2, 2}}, {{1, 1, 1}}, {{0, 3, 3}}},
    {2, 1, 8, 8, {{1, 6, 5}}, {{1, 3, 3}}, {{1, 1, 1}}, {{1, 2, 2}}, {{0, 2, 2}}},
    {1, 1, 5, 10, {{4, 5, 6}}, {{3, 2, 3}}, {{1, 2, 1}}, {{1, 1, 1}}, {{1, 0, 1}}},
    {1, 3, 4, 5, {{1, 6, 5}}, {{1, 3, 3}}, {{1, 1, 1}}, {{1, 1, 1}}, {{0, 1, 1}}},
    {1, 2, 12, 16, {{1, 3, 60}}, {{1, 1, 1}}, {{1, 1, 1}}, {{1, 1, 1}}, {{0, 0, 0}}},
    // Windows that are read in place.
    {2, 1, 8, 17, {{1, 5, 30}}, {{1, 3, 3}}, {{1, 1, 1}}, {{1, 1, 1}}, {{0, 1, 1}}},
    {1, 1, 3, 9, {{1, 9, 64}}, {{1, 5, 5}}, {{1, 2, 2}}, {{1, 1, 1}}, {{0, 2, 1}}},
    {1, 1, 1, 8, {{1, 4, 33}}, {{1, 3, 4}}, {{1, 1, 1}}, {{1, 1, 1}}, {{0, 0, 3}}},
    {1, 1, 64, 8, {{1, 120, 40}}, {{1, 3, 3}}, {{1, 1, 1}}, {{1, 1, 1}}, {{0, 1, 1}}},
    {1, 1, 5, 8, {{1, 1, 30}}, {{1, 1, 3}}, {{1, 1, 1}}, {{1, 1, 1}}, {{0, 0, 0}}},
    {1, 1, 700, 11, {{1, 3, 5}}, {{1, 3, 3}}, {{1, 1, 1}}, {{1, 1, 1}}, {{0, 1, 1}}},
    // Deep matmuls of pairs: depths with and without a rest, in several parts, and tiles of one to four rows.
    {1, 1, 96, 9, {{1, 3, 25}}, {{1, 1, 1}}, {{1, 1, 1}}, {{1, 1, 1}}, {{0, 0, 0}}},
    {1, 1, 101, 17, {{1, 9, 9}}, {{1, 1, 1}}, {{1, 1, 1}}, {{1, 1, 1}}, {{0, 0, 0}}},
    {1, 1, 3, 16, {{1, 25, 17}}, {{1, 7, 7}}, {{1, 2, 2}}, {{1, 1, 1}}, {{0, 3, 3}}},
    {2, 2, 1100, 8, {{1, 6, 13}}, {{1, 1, 1}}, {{1, 1, 1}}, {{1, 1, 1}}, {{0, 0, 0}}},
    // Planes that are padding only: not in place.
    {2, 1, 8, 16, {{1, 5, 30}}, {{1, 3, 3}}, {{1, 1, 1}}, {{1, 1, 1}}, {{1, 1, 1}}},
};

// Sums of (x, or pad outside) * w.
std::vector<int64_t> reference(const Conv& c, const std::vector<uint8_t>& x, const uint8_t* pads,
                               const std::vector<int8_t>& w) {
  std::vector<float> shifted(x.size()), weights(w.begin(), w.end());
  for (size_t i = 0; i < x.size(); ++i) {
    shifted[i] = static_cast<float>(x[i] - pads[i % c.in_stride]);
  }
  const std::vector<double> sums = reference_conv(c, shifted.data(), weights.data());
  std::vector<int64_t> result(sums.size());
  const size_t taps = c.kernel.product(), filter = c.in_channels * taps;
  for (size_t i = 0; i < sums.size(); ++i) {
    result[i] = static_cast<int64_t>(sums[i]);
    const size_t channel = i % (c.groups * c.out_channels);
    for (size_t k = 0; k < filter; ++k) {
      const size_t in = channel / c.out_channels * c.in_channels + k / taps;
      result[i] += pads[in] * w[channel * filter + k];
    }
  }
  return result;
}

void check_convs() {
  for (const IntegerDot dot : integer_forms()) {
    const IntegerForm form(dot);
    for (const Problem& p : kProblems) {
      const Conv c = conv_of(p);
      SCOPED_TRACE(testing::Message()
                   << int(dot) << ": " << p.groups << " x " << p.in_channels << " to " << p.out_channels
                   << ", " << c.kernel[0] << "x" << c.kernel[1] << "x" << c.kernel[2]);
      const size_t taps = c.kernel.product(), filter = c.in_channels * taps, channels = c.out_stride;
      const std::vector<uint8_t> x = random_bytes(c.in_pixels() * c.in_stride, 1);
      const std::vector<int8_t> w = random_weights(channels * filter, 2);
      const IntegerConv integer = {c, dot, 93};
      std::vector<int8_t> packed(integer_conv_weights_size(integer));
      std::vector<int32_t> sums(integer_conv_columns(c));
      ConvWeights places = {nullptr, c.out_channels * filter, filter, taps, 1};
      pack_integer_conv(integer, w.data(), places, packed.data(), sums.data());
      const std::vector<uint8_t> pads(c.in_stride, integer.pad);
      const std::vector<int64_t> expected = reference(c, x, pads.data(), w);

      // As the epilogue gives them: f32 holds integers below 2^24.
      const EpilogueArrays arrays(c.groups, c.out_channels, 8, 3);
      Epilogue e = arrays.epilogue();
      const std::vector<float> ones(sums.size(), 1), zeros(sums.size(), 0);
      std::vector<int32_t> start(sums.size(), 0);
      const int32_t shift = dot == IntegerDot::kSigned ? 128 : 0;
      for (size_t i = 0; i < sums.size(); ++i) start[i] = shift * sums[i];
      Epilogue plain;
      plain.start = start.data();
      plain.scale = ones.data();
      plain.bias = zeros.data();
      std::vector<char> scratch(integer_conv_scratch_size(integer).value());
      std::vector<float> y(c.out_pixels() * channels + 1, 77);
      const size_t cut = c.out_pixels() / 3, half = c.out_channels / 2 / 8 * 8;
      const auto run = [&](const Epilogue& epilogue, const Output& out) {
        // In parts, as threads do.
        for (const Range& pixels : {Range{0, cut}, Range{cut, c.out_pixels()}}) {
          for (const Range& some : {Range{0, half}, Range{half, c.out_channels}})
            conv(integer, x.data(), packed.data(), out, epilogue, scratch.data(), pixels, some);
        }
      };
      run(plain, {nullptr, y.data(), channels});
      for (size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(y[i], static_cast<float>(expected[i])) << i;
      EXPECT_EQ(y.back(), 77);

      // As u8, with a residual.
      const std::vector<uint8_t> residual = random_bytes(c.out_pixels() * channels, 5);
      const std::vector<float> real_residual(residual.begin(), residual.end());
      for (size_t i = 0; i < sums.size(); ++i) start[i] = arrays.start[i] + shift * sums[i];
      e.start = start.data();
      e.bounds = {3, 250};
      e.residual.stride = channels;
      e.residual_scale = arrays.residual_scale.data();
      for (const bool real : {false, true}) {
        e.residual.u8 = real ? nullptr : residual.data();
        e.residual.f32 = real ? real_residual.data() : nullptr;
        std::vector<uint8_t> q(c.out_pixels() * channels + 1, 77);
        // `last`: what the epilogue does to the sum of an element.
        const auto check = [&](const Epilogue& epilogue, const auto& last) {
          run(epilogue, {q.data(), nullptr, channels});
          for (size_t i = 0; i < expected.size(); ++i) {
            const size_t channel = i % channels;
            const size_t at = channel / c.out_channels * arrays.padded + channel % c.out_channels;
            float v = arrays.value(at, expected[i]);
            v += static_cast<float>(residual[i]) * arrays.residual_scale[at];
            ASSERT_EQ(q[i], rounded(last(at, v))) << i;
          }
          EXPECT_EQ(q.back(), 77);
        };
        check(e, [](size_t, float v) { return std::clamp(v, 3.0f, 250.0f); });
        Epilogue steps = e;
        arrays.add_steps(steps);
        check(steps, [&](size_t at, float v) { return arrays.after_steps(at, v); });
      }
    }
  }
}

TEST(IntegerConv, GivesExactSums) { with_both_registers(check_convs); }

TEST(IntegerWinograd, GivesTheSumsOfTheDirectForm) {
  const auto one = [](size_t batch, size_t in, size_t out, size_t height, size_t width, size_t pad) {
    return Problem{batch,          1, in, out, {{1, height, width}}, {{1, 3, 3}}, {{1, 1, 1}}, {{1, 1, 1}},
                   {{0, pad, pad}}};
  };
  const Problem problems[] = {
      one(1, 8, 8, 4, 4, 1),     one(1, 8, 3, 3, 3, 0),      one(2, 16, 24, 9, 7, 1),
      one(1, 40, 17, 13, 30, 1), one(1, 264, 9, 8, 11, 1),   one(1, 24, 8, 1, 1, 1),
      one(1, 8, 16, 5, 18, 2),   one(1, 128, 12, 37, 41, 1), one(1, 512, 8, 7, 7, 1),
  };
  for (const Problem& p : problems) {
    // With the largest filters, sums are up to 2^25, and the largest 2^32 is exceeded in between.
    for (const bool largest : {false, true}) {
      Conv c = conv_of(p);
      c.in_stride += 3;  // a part of a larger tensor
      SCOPED_TRACE(testing::Message() << c.in_channels << " to " << c.out_channels << ", " << c.in[1] << "x"
                                      << c.in[2] << (largest ? ", largest" : ""));
      const IntegerConv integer = {c, IntegerDot::kPairs, 93};
      ASSERT_TRUE(integer_winograd_fits(integer));
      std::vector<uint8_t> x = random_bytes(c.in_pixels() * c.in_stride + 8, 1);
      std::vector<int8_t> w = random_weights(c.out_channels * c.in_channels * 9, 2);
      if (largest) {
        const size_t most = static_cast<size_t>(kMostWinogradSum) / 255 / 128;
        for (uint8_t& v : x) v = v < 40 ? 0 : 255;
        for (size_t i = 0; i < w.size(); ++i) {
          const int sign = i / (c.in_channels * 9) % 2 == 0 ? -128 : 127;
          w[i] = static_cast<int8_t>(i % (c.in_channels * 9) < most ? sign : 0);
        }
      }
      std::vector<int8_t> packed(integer_conv_weights_size(integer));
      std::vector<int32_t> sums(integer_conv_columns(c));
      pack_integer_conv(integer, w.data(), {nullptr, 0, c.in_channels * 9, 9, 1}, packed.data(), sums.data());
      const EpilogueArrays arrays(1, c.out_channels, 8, 3);
      Epilogue e = arrays.epilogue();
      e.bounds = {3, 250};
      std::vector<char> scratch(integer_conv_scratch_size(integer).value());
      std::vector<char> own(integer_winograd_scratch_size(integer).value() + 1, 77);
      const std::vector<uint8_t> residual = random_bytes(c.out_pixels() * c.out_stride, 5);
      e.residual_scale = arrays.residual_scale.data();
      e.residual.stride = c.out_stride;
      const size_t tiles = winograd_tiles(c), half = c.out_channels / 2 / 8 * 8;
      // The filters may also be packed for products of four.
      const IntegerConv with_quads = {c, IntegerDot::kUnsigned, 93};
      ASSERT_TRUE(integer_winograd_fits(with_quads));
      std::vector<int8_t> quads(integer_conv_weights_size(with_quads));
      pack_integer_conv(with_quads, w.data(), {nullptr, 0, c.in_channels * 9, 9, 1}, quads.data(),
                        sums.data());
      for (const auto& [with_residual, of_quads] :
           {std::pair{false, false}, {true, false}, {false, true}, {true, true}}) {
        const IntegerConv& form = of_quads ? with_quads : integer;
        const int8_t* const filters = of_quads ? quads.data() : packed.data();
        e.residual.u8 = with_residual ? residual.data() : nullptr;
        std::vector<uint8_t> expected(c.out_pixels() * c.out_stride + 1, 77), q = expected;
        std::vector<float> expected_sums(expected.size(), 77), y = expected_sums;
        Epilogue wide = e;
        wide.bounds = {};
        conv(integer, x.data(), packed.data(), {expected.data(), nullptr, c.out_stride}, e, scratch.data(),
             {0, c.out_pixels()}, {0, c.out_channels});
        conv(integer, x.data(), packed.data(), {nullptr, expected_sums.data(), c.out_stride}, wide,
             scratch.data(), {0, c.out_pixels()}, {0, c.out_channels});
        for (const Range& some : {Range{0, tiles / 3}, Range{tiles / 3, tiles}}) {
          for (const Range& channels : {Range{0, half}, Range{half, c.out_channels}}) {
            winograd(form, x.data(), filters, {q.data(), nullptr, c.out_stride}, e, own.data(), some,
                     channels);
            winograd(form, x.data(), filters, {nullptr, y.data(), c.out_stride}, wide, own.data(), some,
                     channels);
          }
        }
        EXPECT_EQ(q, expected);
        EXPECT_EQ(y, expected_sums);
        EXPECT_EQ(own.back(), 77);
      }
    }
  }
}

TEST(IntegerDepthwise, GivesExactSums) {
  const Problem problems[] = {
      {1, 1, 1, 1, {{1, 4, 5}}, {{1, 3, 3}}, {{1, 1, 1}}, {{1, 1, 1}}, {{0, 1, 1}}},
      {2, 24, 1, 1, {{1, 7, 6}}, {{1, 3, 3}}, {{1, 1, 1}}, {{1, 1, 1}}, {{0, 1, 1}}},
      {1, 37, 1, 1, {{1, 9, 6}}, {{1, 3, 3}}, {{1, 2, 2}}, {{1, 1, 1}}, {{0, 1, 1}}},
      {1, 16, 1, 1, {{1, 9, 8}}, {{1, 5, 5}}, {{1, 1, 2}}, {{1, 1, 1}}, {{0, 2, 2}}},
      // Five columns.
      {2, 24, 1, 1, {{1, 9, 8}}, {{1, 5, 5}}, {{1, 1, 1}}, {{1, 1, 1}}, {{0, 2, 2}}},
      {1, 19, 1, 1, {{1, 9, 71}}, {{1, 5, 5}}, {{1, 2, 2}}, {{1, 2, 1}}, {{0, 2, 1}}},
      {1, 8, 1, 1, {{7, 2, 9}}, {{5, 1, 5}}, {{1, 1, 1}}, {{1, 1, 1}}, {{2, 0, 0}}},
      {1, 16, 1, 1, {{1, 3, 2}}, {{1, 5, 5}}, {{1, 1, 1}}, {{1, 1, 1}}, {{0, 2, 2}}},
      {1, 24, 1, 1, {{1, 9, 16}}, {{1, 5, 5}}, {{1, 1, 3}}, {{1, 1, 1}}, {{0, 2, 2}}},
      {1, 8, 1, 1, {{1, 9, 16}}, {{1, 5, 5}}, {{1, 1, 1}}, {{1, 2, 2}}, {{0, 4, 4}}},
      {1, 9, 1, 1, {{3, 6, 5}}, {{2, 3, 2}}, {{1, 1, 1}}, {{1, 2, 1}}, {{1, 0, 1}}},
      // Nine taps, most of which lie in the padding; in one row; dilated.
      {1, 40, 1, 1, {{1, 2, 2}}, {{1, 3, 3}}, {{1, 1, 1}}, {{1, 1, 1}}, {{0, 1, 1}}},
      {1, 17, 1, 1, {{1, 1, 1}}, {{1, 3, 3}}, {{1, 1, 1}}, {{1, 1, 1}}, {{0, 2, 2}}},
      {1, 20, 1, 1, {{1, 1, 30}}, {{1, 1, 9}}, {{1, 1, 2}}, {{1, 1, 1}}, {{0, 0, 4}}},
      {2, 8, 1, 1, {{1, 9, 11}}, {{1, 3, 3}}, {{1, 1, 2}}, {{1, 2, 3}}, {{0, 2, 3}}},
      // Three columns that slide along the row: of two axes, with other strides.
      {2, 24, 1, 1, {{5, 2, 7}}, {{3, 1, 3}}, {{2, 1, 1}}, {{1, 1, 1}}, {{1, 0, 1}}},
      {1, 19, 1, 1, {{1, 8, 12}}, {{1, 3, 3}}, {{1, 1, 2}}, {{1, 2, 1}}, {{0, 2, 0}}},
      {1, 12, 1, 1, {{1, 5, 9}}, {{1, 3, 3}}, {{1, 1, 1}}, {{1, 1, 1}}, {{0, 1, 1}}},
      {2, 36, 1, 1, {{1, 4, 70}}, {{1, 3, 3}}, {{1, 1, 1}}, {{1, 1, 1}}, {{0, 1, 1}}},
      {1, 16, 1, 1, {{1, 6, 14}}, {{1, 3, 3}}, {{1, 1, 3}}, {{1, 1, 1}}, {{0, 1, 2}}},
      {1, 16, 1, 1, {{1, 6, 14}}, {{1, 3, 3}}, {{1, 1, 1}}, {{1, 1, 2}}, {{0, 1, 2}}},
  };
  for (const IntegerDot dot : integer_forms()) {
    const IntegerForm form(dot);
    for (const Problem& p : problems) {
      const Conv c = conv_of(p);
      SCOPED_TRACE(testing::Message() << int(dot) << ": " << p.groups << " channels");
      const size_t taps = c.kernel.product(), rows = c.batch * c.out[0] * c.out[1];
      const std::vector<uint8_t> x = random_bytes(c.in_pixels() * c.groups, 1);
      const std::vector<uint8_t> pads = random_bytes(c.groups, 4);
      const std::vector<int8_t> w = random_weights(c.groups * taps, 2);
      const IntegerConv integer = {c, dot, 0};
      std::vector<int8_t> packed(integer_depthwise_weights_size(c));
      const EpilogueArrays arrays(1, c.groups, kIntegerChannels, 3);
      std::vector<int32_t> sums(arrays.padded);
      pack_integer_depthwise(integer, w.data(), {nullptr, taps, 0, 0, 1}, packed.data(), sums.data());
      const std::vector<int64_t> expected = reference(c, x, pads.data(), w);
      std::vector<int32_t> start = arrays.start;
      const int32_t shift = dot == IntegerDot::kSigned ? 128 : 0;
      for (size_t i = 0; i < sums.size(); ++i) start[i] += shift * sums[i];
      Epilogue e = arrays.epilogue();
      e.start = start.data();
      std::vector<char> scratch(integer_depthwise_scratch_size(c).value());
      std::vector<uint8_t> q(c.out_pixels() * c.groups + 1, 77);
      std::vector<uint8_t> after_steps = q;
      std::vector<float> y(c.out_pixels() * c.groups + 1, 77);
      Epilogue steps = e;
      arrays.add_steps(steps);
      for (const Range& some : {Range{0, rows / 2}, Range{rows / 2, rows}}) {
        depthwise(integer, pads.data(), x.data(), packed.data(), {after_steps.data(), nullptr, c.groups},
                  steps, scratch.data(), some);
        e.bounds = {0, 255};
        depthwise(integer, pads.data(), x.data(), packed.data(), {q.data(), nullptr, c.groups}, e,
                  scratch.data(), some);
        e.bounds = {};
        depthwise(integer, pads.data(), x.data(), packed.data(), {nullptr, y.data(), c.groups}, e,
                  scratch.data(), some);
      }
      for (size_t i = 0; i < expected.size(); ++i) {
        const float v = arrays.value(i % c.groups, expected[i]);
        ASSERT_EQ(y[i], v) << i;
        ASSERT_EQ(q[i], rounded(std::clamp(v, 0.0f, 255.0f))) << i;
        ASSERT_EQ(after_steps[i], rounded(arrays.after_steps(i % c.groups, v))) << i;
      }
      EXPECT_EQ(after_steps.back(), 77);
      EXPECT_EQ(q.back(), 77);
      EXPECT_EQ(y.back(), 77);
    }
  }
}

TEST(QuantizedElements, ThereAndBack) {
  for (size_t n : {0, 1, 5, 8, 9, 16, 31}) {
    for (const size_t step : {0, 1}) {
      const std::vector<float> x = random_floats(n + 1, 1), factors = random_floats(n + 1, 2);
      std::vector<float> scale(n + 1), offset(n + 1);
      for (size_t i = 0; i <= n; ++i) {
        scale[i] = 200 + 100 * factors[i];
        offset[i] = 120 + 10 * factors[i];
      }
      std::vector<uint8_t> q(n + 1, 77);
      quantize(x.data(), {scale.data(), step}, {offset.data(), step}, 254, q.data(), n);
      std::vector<float> back(n + 1, 77);
      dequantize(q.data(), {scale.data(), step}, {offset.data(), step}, back.data(), n);
      for (size_t i = 0; i < n; ++i) {
        const float s = scale[i * step], o = offset[i * step];
        EXPECT_EQ(q[i], rounded(std::clamp(x[i] * s + o, 0.0f, 254.0f)));
        EXPECT_EQ(back[i], (static_cast<float>(q[i]) - o) * s);
      }
      EXPECT_EQ(q[n], 77);
      EXPECT_EQ(back[n], 77);
    }
  }
}

TEST(QuantizedElements, TiesGoToEven) {
  const float x[] = {0.5f, 1.5f, 2.5f, 253.5f, 254.5f, -1, 300, -kInf, kInf, 0.49999997f, std::nanf("")};
  const float one = 1, none = 0;
  const uint8_t expected[] = {0, 2, 2, 254, 254, 0, 255, 0, 255, 0, 0};
  // Alone, and as part of a longer row.
  for (const size_t count : {size_t{1}, size_t{16}}) {
    for (size_t i = 0; i < std::size(x); ++i) {
      const std::vector<float> same(count, x[i]);
      std::vector<uint8_t> q(count, 77);
      quantize(same.data(), {&one, 0}, {&none, 0}, 255, q.data(), count);
      EXPECT_EQ(q, std::vector<uint8_t>(count, expected[i])) << x[i];
    }
  }
}

TEST(QuantizedElements, Sums) {
  // The last ones are too large to be rounded before they are clamped.
  const QuantizedSum sums[] = {
      {0.7f, 0.4f, -12.25f, 5, 200}, {-0.9f, 1.4f, 30.5f, 0.4f, 250.6f}, {3e4f, -6e4f, 1e3f, 0, 255}};
  for (const QuantizedSum& sum : sums) {
    for (size_t n : {0, 1, 7, 8, 16, 20, 47, 300}) {
      const std::vector<uint8_t> a = random_bytes(n, 1), b = random_bytes(n, 2);
      std::vector<uint8_t> q(n + 1, 77);
      std::vector<float> y(n + 1, 77);
      add_quantized(sum, a.data(), b.data(), q.data(), n);
      add_quantized(sum, a.data(), b.data(), y.data(), n);
      for (size_t i = 0; i < n; ++i) {
        float v = static_cast<float>(b[i]) * sum.scale_b;
        v += sum.offset;
        v += static_cast<float>(a[i]) * sum.scale_a;
        EXPECT_EQ(y[i], std::clamp(v, sum.low, sum.high));
        EXPECT_EQ(q[i], rounded(y[i]));
      }
      EXPECT_EQ(q[n], 77);
      EXPECT_EQ(y[n], 77);
    }
  }
}

TEST(QuantizedElements, SumsWithSlopes) {
  for (size_t n : {1, 7, 8, 16, 20, 47}) {
    constexpr size_t kRows = 3;
    const std::vector<uint8_t> a = random_bytes(kRows * n, 1), b = random_bytes(kRows * n, 2);
    const std::vector<float> slopes = random_floats(n, 3);
    const QuantizedSum sum = {0.7f, 0.4f, -120.25f, 5, 200};
    std::vector<uint8_t> q(kRows * n + 1, 77);
    add_quantized(sum, slopes.data(), 60.5f, a.data(), b.data(), q.data(), kRows, n);
    for (size_t i = 0; i < kRows * n; ++i) {
      float v = static_cast<float>(a[i]) * 0.7f + (static_cast<float>(b[i]) * 0.4f - 120.25f);
      if (v < 0) v *= slopes[i % n];
      v += 60.5f;
      EXPECT_EQ(q[i], rounded(std::clamp(v, 5.0f, 200.0f)));
    }
    EXPECT_EQ(q.back(), 77);
  }
}

TEST(QuantizedElements, Rescaled) {
  for (size_t n : {0, 1, 7, 8, 16, 20, 47}) {
    const std::vector<uint8_t> x = random_bytes(n, 1);
    const std::vector<float> scale = random_floats(n, 2), offset = random_floats(n, 3);
    std::vector<float> shift(n), y(n + 1, 77);
    for (size_t i = 0; i < n; ++i) shift[i] = 100 + 50 * offset[i];
    std::vector<uint8_t> q(n + 1, 77);
    rescale(x.data(), scale.data(), shift.data(), {5, 200}, q.data(), n);
    rescale(x.data(), scale.data(), shift.data(), {5, 200}, y.data(), n);
    for (size_t i = 0; i < n; ++i) {
      float v = static_cast<float>(x[i]) * scale[i];
      v += shift[i];
      EXPECT_EQ(y[i], std::clamp(v, 5.0f, 200.0f));
      EXPECT_EQ(q[i], rounded(y[i]));
    }
    EXPECT_EQ(q[n], 77);
    EXPECT_EQ(y[n], 77);
  }
}

TEST(QuantizedElements, Maxima) {
  for (const size_t channels : {1, 16, 37}) {
    const Conv c =
        conv_of({2, channels, 1, 1, {{2, 6, 7}}, {{2, 3, 3}}, {{1, 2, 1}}, {{1, 1, 2}}, {{1, 1, 2}}});
    const std::vector<uint8_t> x = random_bytes(c.in_pixels() * channels, 1);
    std::vector<uint8_t> expected(c.out_pixels() * channels, 0), y(expected.size() + 1, 77);
    for_each_tap(c, [&](size_t out, size_t in, size_t) {
      for (size_t i = 0; i < channels; ++i) {
        uint8_t& most = expected[out * channels + i];
        most = std::max(most, x[in * channels + i]);
      }
    });
    const size_t rows = c.batch * c.out[0] * c.out[1];
    max_pool(c, x.data(), y.data(), {0, 1});
    max_pool(c, x.data(), y.data(), {1, rows});
    EXPECT_EQ(y.back(), 77);
    y.pop_back();
    EXPECT_EQ(y, expected);
  }
}

}  // namespace
}  // namespace wasmvino::kernels
