// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"
#include "core/float_types.h"

namespace wasmvino::test::fake_quantize_test {
namespace {

using model::AttributeTexts;

Tensor quantize(const AttributeTexts& attributes, const Tensor& x, const Tensor& input_low,
                const Tensor& input_high, const Tensor& output_low, const Tensor& output_high) {
  return run_op("FakeQuantize", 1, attributes, {x, input_low, input_high, output_low, output_high})[0];
}

const Tensor kZero = Tensor::scalar(0.0f);
const Tensor kOne = Tensor::scalar(1.0f);

TEST(FakeQuantize, RoundsToLevels) {
  const Tensor x = Tensor::of<float>({1, 3, 2}, {-1, 0, 0.2f, 0.8f, 1, 2});
  expect_near(quantize({{"levels", "16"}}, x, kZero, kOne, kZero, Tensor::scalar(3.0f)), {1, 3, 2},
              {0, 0, 0.6f, 2.4f, 3, 3});
  // Two levels binarize, around the threshold that the input range is.
  expect_near(quantize({{"levels", "2"}}, x, kZero, kZero, Tensor::scalar(-1.0f), kOne), {1, 3, 2},
              {-1, -1, 1, 1, 1, 1});
}

TEST(FakeQuantize, BroadcastsRanges) {
  const Tensor x = Tensor::of<float>({2, 2}, {0.4f, 0.6f, 1.4f, 3});
  const Tensor high = Tensor::of<float>({2, 1}, {1, 2});
  expect_near(quantize({{"levels", "3"}}, x, kZero, high, kZero, high), {2, 2}, {0.5f, 0.5f, 1, 2});
  const Tensor rows = Tensor::of<float>({2}, {1, 2});
  expect_near(quantize({{"levels", "3"}, {"auto_broadcast", "pdpd"}}, x, Tensor::of<float>({1}, {0}), rows,
                       Tensor::of<float>({1}, {0}), rows),
              {2, 2}, {0.5f, 0.5f, 1, 2});
  expect_error(ErrorCode::kInvalidShape, "auto_broadcast none",
               [&] { quantize({{"levels", "3"}, {"auto_broadcast", "none"}}, x, kZero, high, kZero, high); });
}

TEST(FakeQuantize, HasTheShapeOfX) {
  const Tensor high = Tensor::of<float>({1, 1, 1}, {1});
  expect_near(quantize({{"levels", "3"}}, Tensor::scalar(0.6f), kZero, high, kZero, high), {}, {0.5f});
  const Tensor columns = Tensor::of<float>({1, 2}, {1, 2});
  expect_near(
      quantize({{"levels", "3"}}, Tensor::of<float>({2}, {0.6f, 1.6f}), kZero, columns, kZero, columns), {2},
      {0.5f, 2});
  expect_error(ErrorCode::kInvalidShape, "the ranges would broadcast X from [1] to [2]", [&] {
    quantize({{"levels", "3"}}, Tensor::of<float>({1}, {1}), kZero, Tensor::of<float>({2}, {1, 2}), kZero,
             kOne);
  });
}

TEST(FakeQuantize, TakesAllRealTypes) {
  const auto f64 = [](double value) { return Tensor::scalar(value); };
  expect_tensor<double>(quantize({{"levels", "5"}}, Tensor::of<double>({4}, {-1, 0.3, 0.9, 2}), f64(0),
                                 f64(1), f64(-2), f64(2)),
                        {4}, {-2, -1, 2, 2});
  const auto half = [](float value) { return Tensor::scalar(Float16(value)); };
  EXPECT_EQ(text_of(quantize({{"levels", "5"}}, half(0.3f), half(0), half(1), half(-2), half(2))), "[] -1");
}

// Values of OpenVINO's CPU plugin.
TEST(FakeQuantize, RoundsAndSaturatesIntegers) {
  const Tensor ten = Tensor::scalar(10.0f), high = Tensor::scalar(300.0f);
  const AttributeTexts levels = {{"levels", "16"}};
  expect_tensor<uint8_t>(
      quantize(levels, Tensor::of<uint8_t>({8}, {1, 7, 3, 9, 2, 100, 5, 8}), kZero, ten, kZero, high), {8},
      {40, 200, 80, 255, 60, 255, 160, 240});
  expect_tensor<int8_t>(
      quantize(levels, Tensor::of<int8_t>({8}, {1, 7, 3, 9, 2, 100, 5, 8}), kZero, ten, kZero, high), {8},
      {40, 127, 80, 127, 60, 127, 127, 127});
  expect_tensor<int64_t>(
      quantize(levels, Tensor::of<int64_t>({8}, {1, 7, 3, 9, 2, 100, 5, 8}), kZero, ten, kZero, high), {8},
      {40, 200, 80, 280, 60, 300, 160, 240});
}

TEST(FakeQuantize, MixesTypes) {
  const Tensor x = Tensor::of<float>({1, 3, 2}, {-1, 0, 0.2f, 0.8f, 1, 2});
  expect_near(quantize({{"levels", "16"}}, x, Tensor::scalar(Float16(0)), kOne, Tensor::scalar(0.0),
                       Tensor::scalar(Float16(3))),
              {1, 3, 2}, {0, 0, 0.6f, 2.4f, 3, 3});
}

TEST(FakeQuantize, Refuses) {
  expect_error(ErrorCode::kInvalidModel, "'levels' is 1, expected 2 or more",
               [] { quantize({{"levels", "1"}}, kOne, kZero, kOne, kZero, kOne); });
  expect_error(ErrorCode::kInvalidModel, "levels", [] { quantize({}, kOne, kZero, kOne, kZero, kOne); });
  expect_error(ErrorCode::kInvalidType, "input_low has element type boolean, expected a numeric type",
               [&] { quantize({{"levels", "2"}}, kOne, Tensor::scalar(true), kOne, kZero, kOne); });
  const Tensor x(ElementType::kF32, {2, 3});
  expect_error(ErrorCode::kInvalidShape, "shapes [2,3] and [2] cannot be broadcast",
               [&] { quantize({{"levels", "2"}}, x, Tensor::of<float>({2}, {0, 0}), kOne, kZero, kOne); });
}

}  // namespace
}  // namespace wasmvino::test::fake_quantize_test
