// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "bench.h"
#include "kernels/channels_first_depthwise.h"
#include "kernels/convert.h"
#include "kernels/depthwise.h"
#include "kernels/winograd.h"
#include "square.h"

namespace wasmvino::bench {

namespace {

using kernels::Conv;
using kernels::Range;

struct Tensors {
  float *x, *w, *y;
  kernels::Epilogue epilogue;
};

Tensors tensors(const Conv& c) {
  const size_t filters = c.groups * c.out_channels * c.in_channels * c.kernel.product();
  Tensors t = {
      buffer(c.in_pixels() * c.in_stride), buffer(filters), buffer(c.out_pixels() * c.out_stride), {}};
  t.epilogue.bias = buffer(c.out_stride);
  t.epilogue.activate({kernels::Unary::kRelu});
  return t;
}

kernels::ConvWeights weights(const Conv& c, const float* w) {
  const size_t taps = c.kernel.product();
  return {w, c.out_channels * c.in_channels * taps, c.in_channels * taps, taps, 1};
}

void add_indirect(Suite& suite, const Conv& c) {
  const Tensors t = tensors(c);
  float* packed = buffer(kernels::packed_conv_size(c));
  float* scratch = buffer(kernels::conv_scratch_size(c).value() / sizeof(float) + 1);
  kernels::pack_conv(c, weights(c, t.w), packed);
  suite.add("conv " + describe(c), operations(c), "GFLOP/s", [=] {
    kernels::conv(c, t.x, packed, t.y, t.epilogue, scratch, {0, c.out_pixels()}, {0, c.out_channels});
  });
}

// Filters in panels and in rows.
void add_few_outputs(Suite& suite, const Conv& c) {
  add_indirect(suite, c);
  const Tensors t = tensors(c);
  kernels::PackedConv packed(buffer(kernels::filter_rows_size(c)));
  packed.in_rows = true;
  float* scratch = buffer(kernels::conv_scratch_size(c).value() / sizeof(float) + 1);
  suite.add("conv few outputs " + describe(c), operations(c), "GFLOP/s", [=] {
    kernels::conv(c, t.x, packed, t.y, t.epilogue, scratch, {0, c.out_pixels()}, {0, c.out_channels});
  });
}

// The rate is that of the direct convolution's operations.
void add_winograd(Suite& suite, const Conv& c) {
  const Tensors t = tensors(c);
  float* packed = buffer(kernels::packed_winograd_size(c));
  float* scratch = buffer(kernels::winograd_scratch_size(c).value());
  kernels::pack_winograd(c, weights(c, t.w), packed);
  const Range tiles = {0, kernels::winograd_tiles(c)};
  suite.add("winograd " + describe(c), operations(c), "GFLOP/s",
            [=] { kernels::winograd(c, t.x, packed, t.y, t.epilogue, scratch, tiles); });
  float* direct = buffer(kernels::packed_conv_size(c));
  float* more = buffer(kernels::winograd_from_direct_scratch_size(c).value());
  kernels::pack_conv(c, weights(c, t.w), direct);
  suite.add("winograd from direct " + describe(c), operations(c), "GFLOP/s", [=] {
    kernels::winograd_from_direct(c, t.x, direct, t.y, t.epilogue, more, tiles, {0, c.out_channels});
  });
}

// Packed for conv() and winograd_from_direct().
kernels::QuantisedMatrix quantised(const Conv& c, kernels::WeightBits bits) {
  const size_t k = c.in_channels * c.kernel.product();
  kernels::QuantisedMatrix matrix{bits, k, c.out_channels, k, nullptr, nullptr, nullptr, 128};
  auto* f16_bits = reinterpret_cast<uint16_t*>(buffer(k * c.out_channels / 2));
  kernels::f32_to_f16(buffer(k * c.out_channels), f16_bits, k * c.out_channels);
  void* packed = buffer(kernels::quantised_size(bits, k, c.out_channels) / sizeof(float));
  std::vector<size_t> rows(k), columns(c.out_channels);
  std::iota(rows.begin(), rows.end(), 0);
  for (size_t o = 0; o < c.out_channels; ++o) columns[o] = o * k;
  kernels::pack_quantised(bits, false, f16_bits, rows, columns, {0, c.out_channels}, packed);
  matrix.values = packed;
  if (bits != kernels::WeightBits::kSmallF16) matrix.scales = buffer((c.out_channels + 7) / 8 * 8);
  return matrix;
}

void add_quantised(Suite& suite, const Conv& c) {
  for (const auto& [name, bits] :
       {std::pair{"int8 ", kernels::WeightBits::kInt8}, std::pair{"int4 ", kernels::WeightBits::kInt4},
        std::pair{"f16 ", kernels::WeightBits::kSmallF16}}) {
    const Tensors t = tensors(c);
    const kernels::QuantisedMatrix matrix = quantised(c, bits);
    float* scratch = buffer(kernels::conv_scratch_size(c, true).value() / sizeof(float) + 1);
    suite.add("conv " + std::string(name) + describe(c), operations(c), "GFLOP/s", [=] {
      kernels::conv(c, t.x, &matrix, t.y, t.epilogue, scratch, {0, c.out_pixels()}, {0, c.out_channels});
    });
    if (!kernels::winograd_fits(c)) continue;
    float* more = buffer(kernels::winograd_from_direct_scratch_size(c).value());
    const Range tiles = {0, kernels::winograd_tiles(c)};
    suite.add("winograd " + std::string(name) + describe(c), operations(c), "GFLOP/s", [=] {
      kernels::winograd_from_direct(c, t.x, &matrix, t.y, t.epilogue, more, tiles, {0, c.out_channels});
    });
  }
}

void add_depthwise(Suite& suite, const Conv& c) {
  const Tensors t = tensors(c);
  float* packed = buffer(kernels::packed_depthwise_size(c));
  kernels::pack_depthwise(c, weights(c, t.w), packed);
  suite.add("depthwise " + describe(c), operations(c), "GFLOP/s",
            [=] { kernels::depthwise(c, t.x, packed, t.y, t.epilogue, {0, c.out[1]}); });
  float* scratch = buffer(kernels::channels_first_depthwise_scratch_size(c));
  suite.add("channels-first depthwise " + describe(c), operations(c), "GFLOP/s",
            [=] { kernels::channels_first_depthwise(c, t.x, t.w, t.y, t.epilogue, scratch, {0, c.groups}); });
}

void add_transposed(Suite& suite, Conv c) {
  for (size_t i = 1; i < 3; ++i) c.out[i] = c.in[i] * c.stride[i];
  const Tensors t = tensors(c);
  float* packed = buffer(kernels::packed_conv_size(c));
  float* scratch = buffer(kernels::transposed_conv_scratch_size(c).value() / sizeof(float) + 1);
  const size_t taps = c.kernel.product();
  kernels::pack_transposed_conv(c, {t.w, 0, taps, c.out_channels * taps, 1}, packed);
  const double multiplied = 2.0 * static_cast<double>(c.in_pixels() * c.in_channels * c.out_channels * taps);
  suite.add("transposed " + describe(c), multiplied, "GFLOP/s", [=] {
    kernels::transposed_conv(c, t.x, packed, t.y, t.epilogue, scratch, {0, c.out[1]}, {0, c.out_channels});
  });
  if (!kernels::few_outputs_fit(c, true)) return;
  kernels::PackedConv rows(buffer(kernels::filter_rows_size(c)));
  rows.in_rows = true;
  suite.add("transposed few outputs " + describe(c), multiplied, "GFLOP/s", [=] {
    kernels::transposed_conv(c, t.x, rows, t.y, t.epilogue, scratch, {0, c.out[1]}, {0, c.out_channels});
  });
}

void add_pool(Suite& suite, const Conv& c) {
  const Tensors t = tensors(c);
  const double bytes = 4.0 * static_cast<double>(c.in_pixels() * c.in_stride + c.out_pixels() * c.out_stride);
  suite.add("pool max " + describe(c), bytes, "GB/s",
            [=] { kernels::pool(kernels::Pooling::kMaximum, c, t.x, t.y, {0, c.out[1]}); });
}

}  // namespace

void add_conv(Suite& suite) {
  struct Layer {
    size_t in, out, size;
  };
  for (const Layer& l :
       {Layer{64, 64, 56}, Layer{128, 128, 28}, Layer{256, 256, 14}, Layer{512, 512, 7}, Layer{32, 32, 80},
        Layer{16, 16, 160}, Layer{8, 8, 160}, Layer{4, 16, 160}, Layer{64, 8, 56}, Layer{256, 256, 7},
        Layer{512, 512, 4}, Layer{96, 96, 10}, Layer{64, 64, 20}}) {
    const Conv c = square(l.in, l.out, l.size, 3);
    add_indirect(suite, c);
    add_winograd(suite, c);
    add_quantised(suite, c);
  }
  add_quantised(suite, square(256, 256, 28, 1));
  add_quantised(suite, square(128, 128, 56, 3, 2));
  add_quantised(suite, square(3, 32, 224, 3, 2));
  add_indirect(suite, square(3, 64, 224, 7, 2));
  add_indirect(suite, square(3, 32, 224, 3, 2));
  add_indirect(suite, square(256, 256, 28, 1));
  add_indirect(suite, square(128, 128, 56, 3, 2));
  add_indirect(suite, square(1, 64, 400, 5));
  add_indirect(suite, square(4, 4, 56, 3, 1, 32));
  for (size_t out : {1, 2, 3}) {
    add_few_outputs(suite, square(4, out, 256, 3));
    add_few_outputs(suite, square(64, out, 128, 3));
    add_few_outputs(suite, square(64, out, 128, 1));
    add_transposed(suite, square(32, out, 128, 2, 2));
  }
  Conv wave = square(1, 512, 1, 1);
  wave.in[2] = 16000;
  wave.kernel[2] = 400;
  wave.stride[2] = 160;
  wave.out[2] = (16000 - 400) / 160 + 1;
  add_indirect(suite, wave);
  Conv dilated = square(256, 256, 14, 3);
  dilated.dilation[1] = dilated.dilation[2] = dilated.pads[1] = dilated.pads[2] = 18;
  add_indirect(suite, dilated);
  for (size_t stride : {1, 2}) {
    add_depthwise(suite, square(1, 1, 112, 3, stride, 96));
    add_depthwise(suite, square(1, 1, 14, 3, stride, 576));
    add_depthwise(suite, square(1, 1, 28, 5, stride, 120));
  }
  add_transposed(suite, square(64, 32, 56, 4, 2));
  add_transposed(suite, square(128, 64, 28, 2, 2));
  add_pool(suite, square(1, 1, 112, 3, 2, 64));
}

}  // namespace wasmvino::bench
