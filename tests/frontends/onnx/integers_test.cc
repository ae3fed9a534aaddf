// SPDX-License-Identifier: Apache-2.0
// Convolutions of integers are exact.
#include "onnx_tester.h"

namespace wasmvino::test {
namespace {

constexpr int kUint8 = 2, kInt8 = 3;

uint32_t next(uint32_t& seed) { return (seed = seed * 1664525u + 1013904223u) >> 24; }

// ConvInteger of [1, channels, 9, 9] with 3x3 filters, against sums in 64 bits.
void expect_exact(int64_t channels, int64_t outputs, int64_t groups, bool extreme) {
  constexpr int64_t kSize = 9, kMade = kSize - 2;
  const int64_t own = channels / groups;
  std::string filters;
  uint32_t seed = 7;
  std::vector<int64_t> w;
  for (int64_t i = 0; i < outputs * own * 9; ++i) {
    w.push_back(extreme ? -128 : static_cast<int8_t>(next(seed)));
    filters.push_back(static_cast<char>(w.back()));
  }
  Tensor data(ElementType::kU8, {1, channels, kSize, kSize});
  for (size_t i = 0; i < data.size(); ++i)
    data.mutable_data<uint8_t>()[i] = extreme ? 255 : static_cast<uint8_t>(next(seed));
  const std::string graph =
      node("ConvInteger", {"x", "w", "zx", "zw"}, {"y"},
           integer_attribute("group", static_cast<uint64_t>(groups))) +
      input(value("x", kUint8, {1, channels, kSize, kSize})) + output(value("y", kInt32, {})) +
      initializer(tensor(
          "w", kInt8, {static_cast<uint64_t>(outputs), static_cast<uint64_t>(own), uint64_t{3}, uint64_t{3}},
          field(9, filters))) +
      initializer(tensor("zx", kUint8, {}, field(9, std::string(1, extreme ? '\0' : '\x7b')))) +
      initializer(tensor("zw", kInt8, {}, field(9, std::string(1, extreme ? '\x7f' : '\x05'))));
  const int64_t zero_x = extreme ? 0 : 123, zero_w = extreme ? 127 : 5;
  const auto model = read_onnx(model_of(graph));
  const auto compiled = runtime::CompiledModel::compile(*model, ops::registry(), {});
  const auto request = compiled->create_infer_request();
  request->set_input(0, data);
  request->infer();
  const Tensor& made = request->output(0);
  ASSERT_EQ(made.size(), static_cast<size_t>(outputs * kMade * kMade));
  for (int64_t o = 0; o < outputs; ++o) {
    const int64_t first = o / (outputs / groups) * own;
    for (int64_t y = 0; y < kMade; ++y) {
      for (int64_t x = 0; x < kMade; ++x) {
        int64_t sum = 0;
        for (int64_t c = 0; c < own; ++c) {
          for (int64_t k = 0; k < 9; ++k) {
            const auto place = static_cast<size_t>(((first + c) * kSize + y + k / 3) * kSize + x + k % 3);
            sum += (data.data<uint8_t>()[place] - zero_x) *
                   (w[static_cast<size_t>((o * own + c) * 9 + k)] - zero_w);
          }
        }
        ASSERT_EQ(made.data<int32_t>()[(o * kMade + y) * kMade + x], sum) << o << " " << y << " " << x;
      }
    }
  }
}

TEST(OnnxIntegers, ConvolutionsOfManyChannels) {
  expect_exact(64, 8, 1, false);
  expect_exact(64, 8, 1, true);
  expect_exact(37, 5, 1, false);
}

TEST(OnnxIntegers, ConvolutionsOfFewChannels) {
  for (const int64_t channels : {1, 2, 3, 8, 28}) expect_exact(channels, 8, 1, true);
}

TEST(OnnxIntegers, ConvolutionsInGroups) {
  expect_exact(16, 16, 16, true);
  expect_exact(16, 8, 4, false);
  expect_exact(128, 4, 2, true);
}

}  // namespace
}  // namespace wasmvino::test
