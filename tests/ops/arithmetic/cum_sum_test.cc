// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/open_inputs.h"

namespace wasmvino::test::cum_sum_test {
namespace {

Tensor cum_sum(const Tensor& data, int64_t axis, bool exclusive = false, bool reverse = false) {
  return run_op("CumSum", 3,
                {{"exclusive", exclusive ? "true" : "false"}, {"reverse", reverse ? "true" : "false"}},
                {data, Tensor::scalar<int64_t>(axis)})[0];
}

TEST(CumSum, TheSpecificationsExamples) {
  const Tensor data = Tensor::of<float>({5}, {1, 2, 3, 4, 5});
  expect_near(cum_sum(data, 0), {5}, {1, 3, 6, 10, 15});
  expect_near(cum_sum(data, 0, true), {5}, {0, 1, 3, 6, 10});
  expect_near(cum_sum(data, 0, false, true), {5}, {15, 14, 12, 9, 5});
  expect_near(cum_sum(data, 0, true, true), {5}, {14, 12, 9, 5, 0});
}

TEST(CumSum, EveryAxis) {
  const Shape shape = {3, 4, 70};
  Tensor data(ElementType::kF32, shape);
  for (size_t i = 0; i < data.size(); ++i) data.mutable_data<float>()[i] = static_cast<float>(i * 7 % 11) - 4;
  for (int64_t axis = 0; axis < 3; ++axis) {
    const size_t stride = static_cast<size_t>(row_major_strides(shape)[static_cast<size_t>(axis)]);
    const size_t length = static_cast<size_t>(shape[static_cast<size_t>(axis)]);
    for (const bool exclusive : {false, true}) {
      for (const bool reverse : {false, true}) {
        std::vector<float> expected(data.size());
        for (size_t i = 0; i < data.size(); ++i) {
          const size_t at = i / stride % length;
          for (size_t j = 0; j < length; ++j) {
            if (j == at ? !exclusive : reverse == (j > at))
              expected[i] += data.data<float>()[i + j * stride - at * stride];
          }
        }
        expect_near(cum_sum(data, axis, exclusive, reverse), shape, expected);
        expect_near(cum_sum(data, axis - 3, exclusive, reverse), shape, expected);
      }
    }
  }
}

TEST(CumSum, DefaultAxisAndNarrowAxisType) {
  const Tensor data = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  expect_near(run_op("CumSum", 3, {}, {data})[0], {2, 2}, {1, 2, 4, 6});
  expect_near(run_op("CumSum", 3, {}, {data, Tensor::scalar<int32_t>(1)})[0], {2, 2}, {1, 3, 3, 7});
}

TEST(CumSum, IntegersAreExact) {
  const int64_t big = (int64_t{1} << 53) + 1;
  expect_tensor<int64_t>(cum_sum(Tensor::of<int64_t>({3}, {big, 2, -1}), 0), {3}, {big, big + 2, big + 1});
  expect_tensor<uint64_t>(cum_sum(Tensor::of<uint64_t>({2}, {~uint64_t{0} - 1, 1}), 0), {2},
                          {~uint64_t{0} - 1, ~uint64_t{0}});
  expect_tensor<int8_t>(cum_sum(Tensor::of<int8_t>({3}, {100, 100, -100}), 0), {3}, {100, 127, 100});
  expect_tensor<int32_t>(cum_sum(Tensor::of<int32_t>({0, 2}, {}), 0), {0, 2}, {});
}

TEST(CumSum, Refuses) {
  const Tensor data = Tensor::of<float>({2}, {1, 2});
  expect_error(ErrorCode::kInvalidValue, "axis is 1, outside -1..0", [&] { cum_sum(data, 1); });
  expect_error(ErrorCode::kInvalidType, "axis has element type f32",
               [&] { run_op("CumSum", 3, {}, {data, Tensor::scalar(0.0f)}); });
  expect_error(ErrorCode::kInvalidShape, "axis has shape [1]",
               [&] { run_op("CumSum", 3, {}, {data, Tensor::of<int32_t>({1}, {0})}); });
}

}  // namespace
}  // namespace wasmvino::test::cum_sum_test
