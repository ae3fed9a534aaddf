// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"
#include "core/packed_bits.h"

namespace wasmvino::test::pad_test {
namespace {

using model::ValueInfo;

// 1 .. 12 as [3, 4], as in the specification's examples.
Tensor matrix() {
  Tensor tensor = iota({3, 4});
  for (size_t i = 0; i < 12; ++i) tensor.mutable_data<float>()[i] += 1;
  return tensor;
}

std::string pad(const char* mode, const Tensor& data, const Tensor& begin, const Tensor& end,
                int opset = 12) {
  return text_of(run_op("Pad", opset, {{"pad_mode", mode}}, {data, begin, end})[0]);
}

TEST(Pad, AddsElementsByMode) {
  const Tensor begin = i64s({0, 1});
  const Tensor end = i64s({2, 3});
  for (const int opset : {1, 12}) {
    EXPECT_EQ(pad("constant", matrix(), begin, end, opset),
              "[5,8] 0 1 2 3 4 0 0 0 0 5 6 7 8 0 0 0 0 9 10 11 12 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0");
    EXPECT_EQ(pad("edge", matrix(), begin, end, opset),
              "[5,8] 1 1 2 3 4 4 4 4 5 5 6 7 8 8 8 8 9 9 10 11 12 12 12 12 9 9 10 11 12 12 12 12 "
              "9 9 10 11 12 12 12 12");
    EXPECT_EQ(pad("reflect", matrix(), begin, end, opset),
              "[5,8] 2 1 2 3 4 3 2 1 6 5 6 7 8 7 6 5 10 9 10 11 12 11 10 9 6 5 6 7 8 7 6 5 2 1 2 3 4 3 2 1");
    EXPECT_EQ(
        pad("symmetric", matrix(), begin, end, opset),
        "[5,8] 1 1 2 3 4 4 3 2 5 5 6 7 8 8 7 6 9 9 10 11 12 12 11 10 9 9 10 11 12 12 11 10 5 5 6 7 8 8 7 6");
  }
}

TEST(Pad, RemovesElementsWithNegativePads) {
  for (const char* const mode : {"constant", "edge", "reflect", "symmetric"}) {
    EXPECT_EQ(pad(mode, matrix(), i64s({-1, -1}), i64s({-1, -1})), "[1,2] 6 7") << mode;
    EXPECT_EQ(pad(mode, matrix(), i64s({0, 0}), i64s({0, 0})), "[3,4] 1 2 3 4 5 6 7 8 9 10 11 12") << mode;
  }
  EXPECT_EQ(pad("constant", matrix(), i64s({-3, 0}), i64s({0, 0})), "[0,4]");
  EXPECT_EQ(pad("constant", matrix(), i64s({-4, 0}), i64s({2, -3})), "[1,1] 0");
}

TEST(Pad, AddsAndRemoves) {
  const Tensor begin = i64s({2, -1});
  const Tensor end = i64s({-1, 3});
  EXPECT_EQ(pad("constant", matrix(), begin, end), "[4,6] 0 0 0 0 0 0 0 0 0 0 0 0 2 3 4 0 0 0 6 7 8 0 0 0");
  EXPECT_EQ(pad("edge", matrix(), begin, end), "[4,6] 2 3 4 4 4 4 2 3 4 4 4 4 2 3 4 4 4 4 6 7 8 8 8 8");
  EXPECT_EQ(pad("reflect", matrix(), begin, end),
            "[4,6] 10 11 12 11 10 9 6 7 8 7 6 5 2 3 4 3 2 1 6 7 8 7 6 5");
  EXPECT_EQ(pad("symmetric", matrix(), begin, end), "[4,6] 6 7 8 8 7 6 2 3 4 4 3 2 2 3 4 4 3 2 6 7 8 8 7 6");
}

TEST(Pad, FillsWithTheGivenValue) {
  const auto filled = [](const Tensor& data, const Tensor& value) {
    return text_of(run_op("Pad", 12, {{"pad_mode", "constant"}}, {data, i64s({1}), i32s({2}), value})[0]);
  };
  EXPECT_EQ(filled(iota({2}), Tensor::scalar(7.5f)), "[5] 7.5 0 1 7.5 7.5");
  EXPECT_EQ(filled(iota<uint8_t>({2}), Tensor::scalar<uint8_t>(9)), "[5] 9 0 1 9 9");
  EXPECT_EQ(filled(iota<int16_t>({2}), Tensor::scalar<int16_t>(-9)), "[5] -9 0 1 -9 -9");
  EXPECT_EQ(filled(iota<int64_t>({2}), Tensor::scalar<int64_t>(-9)), "[5] -9 0 1 -9 -9");
  EXPECT_EQ(filled(strings({2}), Tensor::scalar<std::string>("x")), "[5] x 0 1 x x");
}

TEST(Pad, KeepsInnerAxesWhole) {
  EXPECT_EQ(pad("constant", iota({1, 2, 2, 2}), i64s({0, 1, 0, 0}), i64s({0, 0, 1, 0})),
            "[1,3,3,2] 0 0 0 0 0 0 0 1 2 3 0 0 4 5 6 7 0 0");
  EXPECT_EQ(pad("edge", iota({2, 3}), i64s({1, 0}), i64s({0, 0})), "[3,3] 0 1 2 0 1 2 3 4 5");
  EXPECT_EQ(pad("constant", strings({1, 2}), i64s({0, 0}), i64s({0, 1})), "[1,3] 0 1 ");
}

TEST(Pad, PadsEmptyArraysAndNarrowElements) {
  EXPECT_EQ(pad("constant", iota({2, 0}), i64s({0, 1}), i64s({0, 0})), "[2,1] 0 0");
  Tensor data(ElementType::kU4, {2, 3});
  for (size_t i = 0; i < 6; ++i)
    store_bits(ElementType::kU4, data.mutable_data<char>(), i, static_cast<uint8_t>(i));
  EXPECT_EQ(pad("reflect", data, i64s({0, 1}), i64s({0, 0})), "[2,4] 1 0 1 2 4 3 4 5");
  EXPECT_EQ(pad("constant", data, i64s({0, 1}), i64s({0, 0})), "[2,4] 0 0 1 2 0 3 4 5");
}

TEST(Pad, InfersOpenShapes) {
  const ValueInfo data = open(ElementType::kF32, {Dimension(), Dimension(2, 4)});
  EXPECT_EQ(infer_shape("Pad", 12, {{"pad_mode", "edge"}},
                        {data, ValueInfo::of(i64s({1, 2})), ValueInfo::of(i64s({0, -1}))}),
            "[1..,3..5]");
  EXPECT_EQ(infer_shape("Pad", 12, {{"pad_mode", "edge"}},
                        {data, open(ElementType::kI64, {2}), ValueInfo::of(i64s({0, -1}))}),
            "[?,?]");
}

TEST(Pad, RefusesPadsBeyondWhatTheModeCanReach) {
  const Tensor none = i64s({0, 0});
  expect_error(ErrorCode::kInvalidValue, "pads of axis 1 are 0 and 4, too large for mode reflect and size 4",
               [&] { pad("reflect", matrix(), none, i64s({0, 4})); });
  expect_error(ErrorCode::kInvalidValue, "too large for mode symmetric",
               [&] { pad("symmetric", matrix(), i64s({4, 0}), none); });
  expect_error(ErrorCode::kInvalidValue, "too large for mode edge",
               [&] { pad("edge", iota({2, 0}), i64s({0, 1}), none); });
  expect_error(ErrorCode::kInvalidShape, "pads_end has 1 elements, expected one for each of 2 axes",
               [&] { pad("edge", matrix(), none, i64s({1})); });
  expect_error(ErrorCode::kInvalidType, "'pad_mode' must be constant",
               [&] { pad("edge", strings({1, 1}), none, none); });
  expect_error(ErrorCode::kInvalidType, "pad_value has element type i32, data has f32", [&] {
    run_op("Pad", 12, {{"pad_mode", "constant"}}, {matrix(), none, none, Tensor::scalar<int32_t>(1)});
  });
  constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
  expect_error(ErrorCode::kInvalidShape, "more elements than the address space can hold",
               [&] { pad("constant", matrix(), i64s({kHuge, kHuge}), i64s({kHuge, 0})); });
}

}  // namespace
}  // namespace wasmvino::test::pad_test
