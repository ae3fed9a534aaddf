// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "core/float_types.h"
#include "tests/ops/op_tester.h"

namespace wasmvino::test::log_softmax_test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

Tensor log_softmax(const Tensor& data, int axis) {
  return run_op("LogSoftmax", 5, {{"axis", std::to_string(axis)}}, {data})[0];
}

TEST(LogSoftmax, EveryAxisAgainstDoubles) {
  const Shape shape = {3, 5, 66};
  Tensor data(ElementType::kF32, shape);
  for (size_t i = 0; i < data.size(); ++i) {
    data.mutable_data<float>()[i] = 0.61f * static_cast<float>(static_cast<int>(i * 31 % 41) - 20);
  }
  const Ints strides = row_major_strides(shape);
  for (size_t axis = 0; axis < 3; ++axis) {
    std::vector<float> expected(data.size());
    for (size_t i = 0; i < data.size(); ++i) {
      const size_t stride = static_cast<size_t>(strides[axis]);
      const size_t first = i - i / stride % static_cast<size_t>(shape[axis]) * stride;
      double sum = 0;
      for (size_t j = 0; j < static_cast<size_t>(shape[axis]); ++j) {
        sum += std::exp(static_cast<double>(data.data<float>()[first + j * stride]));
      }
      expected[i] = static_cast<float>(static_cast<double>(data.data<float>()[i]) - std::log(sum));
    }
    SCOPED_TRACE(axis);
    expect_near(log_softmax(data, static_cast<int>(axis)), shape, expected, 1e-6f);
    expect_near(log_softmax(data, static_cast<int>(axis) - 3), shape, expected, 1e-6f);
  }
}

TEST(LogSoftmax, KeepsDigitsFarFromZero) {
  expect_near(log_softmax(Tensor::of<float>({1, 3}, {1000, -1000, 999.5f}), 1), {1, 3},
              {-0.474077f, -2000.4741f, -0.974077f}, 1e-6f);
  expect_near(log_softmax(Tensor::of<float>({1, 2}, {-kInf, 0}), 1), {1, 2}, {-kInf, 0});
}

TEST(LogSoftmax, ScalarAndHalf) {
  expect_near(log_softmax(Tensor::scalar(3.0f), 0), {}, {0});
  const Tensor half = Tensor::of<Float16>({2}, {Float16(0.0f), Float16(1.0f)});
  EXPECT_NEAR(f16_to_f32(log_softmax(half, 0).data<uint16_t>()[0]), -1.3132617f, 1e-3f);
}

TEST(LogSoftmax, Refuses) {
  expect_error(ErrorCode::kInvalidValue, "axis is -3, outside -2..1",
               [] { log_softmax(Tensor(ElementType::kF32, {2, 3}), -3); });
}

}  // namespace
}  // namespace wasmvino::test::log_softmax_test
