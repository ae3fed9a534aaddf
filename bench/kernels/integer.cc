// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <tuple>

#include "bench.h"
#include "kernels/integer_conv.h"
#include "kernels/integer_elementwise.h"
#include "kernels/integer_winograd.h"
#include "kernels/winograd.h"
#include "square.h"

namespace wasmvino::bench {
namespace {

using kernels::Conv;
using kernels::IntegerConv;

// Elements of the given type, alive until the process ends.
template <typename T>
T* elements(size_t n) {
  return reinterpret_cast<T*>(buffer(n * sizeof(T) / sizeof(float) + 1));
}

// A convolution of u8 into u8, with the inner product that this machine gets.
void add_integer_conv(Suite& suite, const Conv& conv) {
  const IntegerConv c = {conv, kernels::integer_dot(), 128};
  const bool depthwise = conv.in_channels == 1 && conv.groups > 1;
  const size_t taps = conv.kernel.product();
  const size_t columns =
      depthwise ? conv.groups + kernels::kIntegerChannels : kernels::integer_conv_columns(conv);
  const size_t bytes =
      depthwise ? kernels::integer_depthwise_weights_size(conv) : kernels::integer_conv_weights_size(c);
  const CheckedSize scratch_size =
      depthwise ? kernels::integer_depthwise_scratch_size(conv) : kernels::integer_conv_scratch_size(c);
  const auto* x = elements<uint8_t>(conv.in_pixels() * conv.in_stride);
  const auto* filters = elements<int8_t>(conv.groups * conv.out_channels * conv.in_channels * taps);
  auto* packed = elements<int8_t>(bytes);
  auto* sums = elements<int32_t>(columns);
  auto* y = elements<uint8_t>(conv.out_pixels() * conv.out_stride);
  auto* scratch = elements<char>(scratch_size.value());
  const kernels::ConvWeights places = {nullptr, conv.out_channels * conv.in_channels * taps,
                                       conv.in_channels * taps, taps, 1};
  kernels::Epilogue epilogue;
  epilogue.start = sums;
  epilogue.scale = buffer(columns);
  epilogue.bias = buffer(columns);
  epilogue.bounds = {0, 255};
  const kernels::Output out = {y, nullptr, conv.out_stride};
  const std::string name = "integer conv " + describe(conv);
  if (depthwise) {
    pack_integer_depthwise(c, filters, places, packed, sums);
    const auto* pads = elements<uint8_t>(conv.groups);
    suite.add(name, operations(conv), "GOP/s",
              [=] { kernels::depthwise(c, pads, x, packed, out, epilogue, scratch, {0, conv.out[1]}); });
  } else {
    pack_integer_conv(c, filters, places, packed, sums);
    suite.add(name, operations(conv), "GOP/s", [=] {
      kernels::conv(c, x, packed, out, epilogue, scratch, {0, conv.out_pixels()}, {0, conv.out_channels});
    });
    if (!kernels::integer_winograd_fits(c)) return;
    auto* own = elements<char>(kernels::integer_winograd_scratch_size(c).value());
    suite.add(name + " Winograd", operations(conv), "GOP/s", [=] {
      kernels::winograd(c, x, packed, out, epilogue, own, {0, kernels::winograd_tiles(conv)},
                        {0, conv.out_channels});
    });
  }
}

// Elementwise kernels; rates count elements.
void add_elementwise(Suite& suite, size_t n) {
  const auto *a = elements<uint8_t>(n), *b = elements<uint8_t>(n);
  auto* y = elements<uint8_t>(n);
  const float* x = buffer(n);
  const kernels::QuantizedSum sum = {0.4f, 0.6f, 10, 0, 255};
  const auto rate = static_cast<double>(n);
  suite.add("integer sum", rate, "G/s", [=] { kernels::add_quantized(sum, a, b, y, n); });
  const float* numbers = buffer(1);
  suite.add("integer quantize", rate, "G/s",
            [=] { kernels::quantize(x, {numbers, 0}, {numbers, 0}, 255, y, n); });
}

}  // namespace

void add_integers(Suite& suite) {
  add_elementwise(suite, size_t{256} << 10);
  // MobileNetV2: first layer, expansions, projections, the last layer; ResNet-50's 3x3.
  add_integer_conv(suite, square(3, 32, 224, 3, 2));
  add_integer_conv(suite, square(32, 16, 112, 1));
  add_integer_conv(suite, square(16, 96, 112, 1));
  add_integer_conv(suite, square(144, 24, 56, 1));
  add_integer_conv(suite, square(24, 144, 56, 1));
  add_integer_conv(suite, square(384, 64, 14, 1));
  add_integer_conv(suite, square(320, 1280, 7, 1));
  add_integer_conv(suite, square(64, 64, 56, 3));
  add_integer_conv(suite, square(128, 128, 28, 3));
  add_integer_conv(suite, square(256, 256, 14, 3));
  add_integer_conv(suite, square(512, 512, 7, 3));
  add_integer_conv(suite, square(512, 512, 4, 3));
  add_integer_conv(suite, square(16, 16, 80, 3));
  add_integer_conv(suite, square(64, 64, 20, 3));
  // ResNet-50's other forms.
  add_integer_conv(suite, square(3, 64, 224, 7, 2));
  add_integer_conv(suite, square(64, 256, 56, 1));
  add_integer_conv(suite, square(256, 64, 56, 1));
  add_integer_conv(suite, square(1024, 256, 14, 1));
  for (const auto& [channels, size, stride] : {std::tuple<size_t, size_t, size_t>{32, 112, 1},
                                               {96, 112, 2},
                                               {144, 56, 1},
                                               {384, 14, 1},
                                               {960, 7, 1}}) {
    add_integer_conv(suite, square(1, 1, size, 3, stride, channels));
  }
  add_integer_conv(suite, square(1, 1, 14, 5, 1, 480));
}

}  // namespace wasmvino::bench
