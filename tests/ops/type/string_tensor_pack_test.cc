// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"
#include "../open_inputs.h"

namespace wasmvino::test::string_tensor_pack_test {
namespace {

Tensor bytes(const std::string& text) {
  return Tensor::of<uint8_t>({static_cast<int64_t>(text.size())},
                             reinterpret_cast<const uint8_t*>(text.data()));
}

Tensor pack(const Tensor& begins, const Tensor& ends, const Tensor& symbols) {
  return run_op("StringTensorPack", 15, {}, {begins, ends, symbols})[0];
}

// The specification's examples.
TEST(StringTensorPack, CutsSymbolsIntoStrings) {
  expect_tensor<std::string>(pack(i64s({0, 5}), i64s({5, 13}), bytes("IntelOpenVINO")), {2},
                             {"Intel", "OpenVINO"});
  expect_tensor<std::string>(pack(i32s({0, 3, 3, 8, 9}), i32s({3, 3, 8, 9, 13}), bytes("OMZGenAI 2024")), {5},
                             {"OMZ", "", "GenAI", " ", "2024"});
  expect_tensor<std::string>(pack(i64s({0, 8}), i64s({1, 9}), bytes("123456789")), {2}, {"1", "9"});
  const Tensor begins = Tensor::of<int64_t>({2, 2}, {0, 5, 13, 16});
  const Tensor ends = Tensor::of<int64_t>({2, 2}, {5, 13, 16, 21});
  expect_tensor<std::string>(pack(begins, ends, bytes("IntelOpenVINOOMZGenAI")), {2, 2},
                             {"Intel", "OpenVINO", "OMZ", "GenAI"});
}

TEST(StringTensorPack, Refuses) {
  expect_error(ErrorCode::kInvalidValue, "string 1 is 2..5, outside the 4 symbols",
               [] { pack(i32s({0, 2}), i32s({2, 5}), bytes("abcd")); });
  expect_error(ErrorCode::kInvalidValue, "string 0 is 3..2",
               [] { pack(i32s({3}), i32s({2}), bytes("abcd")); });
  expect_error(ErrorCode::kInvalidValue, "string 0 is -1..2",
               [] { pack(i32s({-1}), i32s({2}), bytes("abcd")); });
  expect_error(ErrorCode::kInvalidShape, "begins has shape [1], but ends has shape [2]",
               [] { pack(i32s({0}), i32s({1, 2}), bytes("abcd")); });
  expect_error(ErrorCode::kInvalidType, "symbols has element type i32, expected u8",
               [] { pack(i32s({0}), i32s({1}), i32s({65})); });
}

std::vector<Tensor> unpack(const Tensor& data) { return run_op("StringTensorUnpack", 15, {}, {data}, 3); }

TEST(StringTensorUnpack, JoinsStrings) {
  const Tensor data = Tensor::of<std::string>({5}, {"OMZ", "", "GenAI", " ", "2024"});
  for (const auto& outputs : {unpack(data), run_op_open("StringTensorUnpack", 15, {}, {data}, 3)}) {
    expect_tensor<int32_t>(outputs[0], {5}, {0, 3, 3, 8, 9});
    expect_tensor<int32_t>(outputs[1], {5}, {3, 3, 8, 9, 13});
    EXPECT_EQ(text_of(outputs[2]), text_of(bytes("OMZGenAI 2024")));
  }
  const auto square = unpack(Tensor::of<std::string>({2, 1}, {"a", "bc"}));
  expect_tensor<int32_t>(square[0], {2, 1}, {0, 1});
  expect_tensor<int32_t>(square[1], {2, 1}, {1, 3});
}

TEST(StringTensorUnpack, TakesNoStrings) {
  const auto outputs = unpack(Tensor(ElementType::kString, {0, 3}));
  EXPECT_EQ(text_of(outputs[0]), "[0,3]");
  EXPECT_EQ(text_of(outputs[2]), "[0]");
}

TEST(StringTensorUnpack, RefusesOtherTypes) {
  expect_error(ErrorCode::kInvalidType, "data has element type u8, expected string",
               [] { unpack(bytes("abc")); });
}

}  // namespace
}  // namespace wasmvino::test::string_tensor_pack_test
