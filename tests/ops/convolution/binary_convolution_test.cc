// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/convolution/convolution_tester.h"

namespace wasmvino::test::binary_convolution_test {
namespace {

// Random bits, the first in the least significant bit of a byte, and the numbers -1 and 1 that they stand
// for.
struct RandomBits {
  Tensor packed;
  std::vector<double> signs;
};

RandomBits random_bits(const Shape& shape, uint32_t seed) {
  RandomBits bits = {Tensor(ElementType::kU1, shape), {}};
  kernels::Random random(seed);
  uint8_t* bytes = bits.packed.mutable_data<uint8_t>();
  std::fill_n(bytes, bits.packed.byte_size(), uint8_t{0});
  for (size_t i = 0; i < bits.packed.size(); ++i) {
    const bool set = random.integer(0, 1) == 1;
    if (set) bytes[i / 8] |= static_cast<uint8_t>(1 << i % 8);
    bits.signs.push_back(set ? 1 : -1);
  }
  return bits;
}

TEST(BinaryConvolution, ByHand) {
  const Tensor data = Tensor::of<float>({1, 1, 1, 4}, {1, 0, 0, 1});
  Tensor filters(ElementType::kU1, {1, 1, 1, 2});
  filters.mutable_data<uint8_t>()[0] = 1;  // 1, -1
  const auto run = [&](const std::string& pad_value) {
    return run_op("BinaryConvolution", 1,
                  {{"mode", "xnor-popcount"},
                   {"pad_value", pad_value},
                   {"strides", "1,1"},
                   {"pads_begin", "0,1"},
                   {"pads_end", "0,0"}},
                  {data, filters})[0];
  };
  // Padding of 0 counts nothing, 1 as 1, -1 as -1.
  expect_tensor<float>(run("0"), {1, 1, 1, 4}, {-1, 2, 0, -2});
  expect_tensor<float>(run("1"), {1, 1, 1, 4}, {0, 2, 0, -2});
  expect_tensor<float>(run("-1"), {1, 1, 1, 4}, {-2, 2, 0, -2});
}

TEST(BinaryConvolution, AgainstAConvolutionOfSigns) {
  for (const int64_t channels : {1, 8, 63, 64, 130}) {
    for (const size_t threads : {1, 3}) {
      const Convolving c{{2, channels, 7, 8}, {5, channels, 3, 2}, false, {2, 1}, {1, 2}, {1, 0}, {4, 6}};
      kernels::Random random(3);
      Tensor data(ElementType::kF32, c.data);
      std::vector<double> signs;
      for (size_t i = 0; i < data.size(); ++i) {
        data.mutable_data<float>()[i] = static_cast<float>(random.integer(0, 1));
        signs.push_back(data.data<float>()[i] > 0 ? 1 : -1);
      }
      const RandomBits filters = random_bits(c.filters, 4);
      // Padding of the signs' convolution is 0, that is, nothing.
      const std::vector<double> expected = reference(c, signs, filters.signs);
      const Tensor got = run_op_open("BinaryConvolution", 1,
                                     {{"mode", "xnor-popcount"},
                                      {"pad_value", "0"},
                                      {"strides", "2,1"},
                                      {"dilations", "1,2"},
                                      {"pads_begin", "1,0"},
                                      {"pads_end", "1,0"}},
                                     {data, filters.packed}, 1, {1}, threads)[0];
      ASSERT_EQ(to_string(got.shape()), "[2,5,4,6]");
      for (size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(got.data<float>()[i], expected[i]) << i;
    }
  }
}

TEST(BinaryConvolution, Errors) {
  const auto infer = [](ElementType data, ElementType filters, const PartialShape& shape) {
    infer_op("BinaryConvolution", 1, {{"mode", "xnor-popcount"}},
             {open(data, {1, 8, 5, 5}), open(filters, shape)});
  };
  expect_error(ErrorCode::kInvalidType, "filters has element type f32, expected u1",
               [&] { infer(ElementType::kF32, ElementType::kF32, {2, 8, 3, 3}); });
  expect_error(ErrorCode::kInvalidType, "data has element type i32",
               [&] { infer(ElementType::kI32, ElementType::kU1, {2, 8, 3, 3}); });
  expect_error(ErrorCode::kInvalidShape, "data [1,8,5,5] has 8 channels, but filters [2,4,3,3] expect 4",
               [&] { infer(ElementType::kF32, ElementType::kU1, {2, 4, 3, 3}); });
  expect_error(ErrorCode::kInvalidModel, "mode", [] {
    infer_op("BinaryConvolution", 1, {{"mode", "and"}},
             {open(ElementType::kF32, {1, 8, 5, 5}), open(ElementType::kU1, {2, 8, 3, 3})});
  });
}

}  // namespace
}  // namespace wasmvino::test::binary_convolution_test
