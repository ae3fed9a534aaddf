// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "core/float_types.h"
#include "tests/ops/op_tester.h"

namespace wasmvino::test::softmax_test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Tensor softmax(const Tensor& data, int axis, int opset = 8) {
  return run_op("Softmax", opset, {{"axis", std::to_string(axis)}}, {data})[0];
}

TEST(Softmax, EveryAxisAgainstDoubles) {
  for (const Shape& shape :
       {Shape{7}, Shape{3, 9}, Shape{2, 3, 4}, Shape{5, 3, 70}, Shape{2, 3, 4, 5}, Shape{1, 1}}) {
    Tensor data(ElementType::kF32, shape);
    for (size_t i = 0; i < data.size(); ++i) {
      data.mutable_data<float>()[i] = 0.37f * static_cast<float>(static_cast<int>(i * 31 % 41) - 20);
    }
    const Ints strides = row_major_strides(shape);
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      std::vector<float> expected(data.size());
      for (size_t i = 0; i < data.size(); ++i) {
        const size_t stride = static_cast<size_t>(strides[axis]);
        const size_t first = i - i / stride % static_cast<size_t>(shape[axis]) * stride;
        double sum = 0;
        for (size_t j = 0; j < static_cast<size_t>(shape[axis]); ++j) {
          sum += std::exp(static_cast<double>(data.data<float>()[first + j * stride]));
        }
        expected[i] = static_cast<float>(std::exp(static_cast<double>(data.data<float>()[i])) / sum);
      }
      SCOPED_TRACE(testing::Message() << to_string(shape) << " axis " << axis);
      expect_near(softmax(data, static_cast<int>(axis)), shape, expected, 1e-6f);
      expect_near(softmax(data, static_cast<int>(axis) - static_cast<int>(shape.size())), shape, expected,
                  1e-6f);
    }
  }
}

TEST(Softmax, LargeNumbersAndInfinities) {
  const Tensor data = Tensor::of<float>({3, 3}, {-kInf, 0, 1, 3e38f, 0, -3e38f, 1, kNan, 2});
  expect_near(softmax(data, 1), {3, 3}, {0, 0.26894143f, 0.73105860f, 1, 0, 0, kNan, kNan, kNan});
}

TEST(Softmax, ScalarAndEmpty) {
  expect_near(softmax(Tensor::scalar(3.0f), 0), {}, {1});
  expect_near(softmax(Tensor(ElementType::kF32, {0, 3}), 1), {0, 3}, {});
  expect_near(softmax(Tensor(ElementType::kF32, {3, 0}), 1), {3, 0}, {});
}

TEST(Softmax, OtherFloatingPointTypes) {
  Tensor half(ElementType::kF16, {2}), brain(ElementType::kBf16, {2});
  for (size_t i = 0; i < 2; ++i) {
    half.mutable_data<uint16_t>()[i] = f32_to_f16(static_cast<float>(i));
    brain.mutable_data<uint16_t>()[i] = f32_to_bf16(static_cast<float>(i));
  }
  EXPECT_NEAR(f16_to_f32(softmax(half, 0).data<uint16_t>()[1]), 0.7310586f, 5e-4f);
  EXPECT_NEAR(bf16_to_f32(softmax(brain, 0).data<uint16_t>()[0]), 0.2689414f, 2e-3f);
  EXPECT_NEAR(softmax(Tensor::of<double>({2}, {0.0, 1.0}), 0).data<double>()[0], 0.2689414213699951, 1e-7);
}

TEST(Softmax, Refuses) {
  const Tensor data = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  expect_error(ErrorCode::kInvalidValue, "axis is 2, outside -2..1", [&] { softmax(data, 2); });
  expect_error(ErrorCode::kInvalidModel, "'axis' is -1, expected 0 or more", [&] { softmax(data, -1, 1); });
  expect_error(ErrorCode::kInvalidType, "expected a numeric type",
               [] { softmax(Tensor(ElementType::kBoolean, {1}), 0); });
  expect_error(ErrorCode::kInvalidType, "data has element type f8e4m3, expected a numeric type",
               [] { softmax(Tensor(ElementType::kF8e4m3, {1}), 0); });
}

}  // namespace
}  // namespace wasmvino::test::softmax_test
