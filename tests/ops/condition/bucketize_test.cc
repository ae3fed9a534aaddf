// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "core/float_types.h"
#include "tests/ops/open_inputs.h"

namespace wasmvino::test::bucketize_test {
namespace {

Tensor bucketize(const Tensor& data, const Tensor& buckets, bool right) {
  return run_op("Bucketize", 3, {{"output_type", "i32"}, {"with_right_bound", right ? "true" : "false"}},
                {data, buckets})[0];
}

TEST(Bucketize, TheSpecificationsExample) {
  const Tensor data = Tensor::of<float>({2, 3}, {0.2f, 6.4f, 3, 1.6f, 0.999f, 9});
  const Tensor buckets = Tensor::of<float>({4}, {0, 1, 2.5f, 4});
  expect_tensor<int32_t>(bucketize(data, buckets, true), {2, 3}, {1, 4, 3, 2, 1, 4});
}

TEST(Bucketize, BoundsBelongToOneSide) {
  const Tensor data = Tensor::of<int32_t>({5}, {0, 1, 2, 3, 4}),
               buckets = Tensor::of<int32_t>({3}, {1, 2, 2});
  expect_tensor<int32_t>(bucketize(data, buckets, true), {5}, {0, 0, 1, 3, 3});
  expect_tensor<int32_t>(bucketize(data, buckets, false), {5}, {0, 1, 3, 3, 3});
}

TEST(Bucketize, TypesMayDiffer) {
  expect_tensor<int32_t>(
      bucketize(Tensor::of<int8_t>({3}, {-1, 2, 3}), Tensor::of<float>({2}, {-0.5f, 2.5f}), true), {3},
      {0, 1, 2});
  expect_tensor<int32_t>(bucketize(Tensor::of<Float16>({2}, {Float16(1.5f), Float16(7.0f)}),
                                   Tensor::of<uint64_t>({2}, {1, 2}), true),
                         {2}, {1, 2});
  const int64_t big = (int64_t{1} << 53) + 1;
  expect_tensor<int32_t>(
      bucketize(Tensor::of<int64_t>({2}, {big, big - 1}), Tensor::of<int64_t>({1}, {big}), false), {2},
      {1, 0});
}

TEST(Bucketize, ScalarsNothingAndNan) {
  expect_tensor<int32_t>(bucketize(Tensor::scalar(1.0f), Tensor::of<float>({1}, {0}), true), {}, {1});
  expect_tensor<int32_t>(bucketize(Tensor::of<float>({2}, {1, 2}), Tensor(ElementType::kF32, {0}), true), {2},
                         {0, 0});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  expect_tensor<int32_t>(bucketize(Tensor::of<float>({1}, {nan}), Tensor::of<float>({2}, {0, 1}), true), {1},
                         {2});
}

TEST(Bucketize, WideIndicesOfManyValues) {
  Tensor data(ElementType::kF32, {100, 100});
  for (size_t i = 0; i < data.size(); ++i) data.mutable_data<float>()[i] = static_cast<float>(i % 10) + 0.5f;
  const Tensor buckets = Tensor::of<float>({3}, {2, 4, 8});
  for (const size_t threads : {1, 3}) {
    const Tensor got = run_op_open("Bucketize", 3, {}, {data, buckets}, 1, {}, threads)[0];
    ASSERT_EQ(name(got.type()), "i64");
    for (size_t i = 0; i < data.size(); ++i) {
      const size_t digit = i % 10;
      ASSERT_EQ(got.data<int64_t>()[i], (digit >= 2) + (digit >= 4) + (digit >= 8)) << i;
    }
  }
}

TEST(Bucketize, Refuses) {
  expect_error(ErrorCode::kInvalidShape, "buckets has shape [1,2], expected rank 1",
               [] { bucketize(Tensor::scalar(1.0f), Tensor(ElementType::kF32, {1, 2}), true); });
  expect_error(ErrorCode::kInvalidModel, "'output_type' is f32", [] {
    run_op("Bucketize", 3, {{"output_type", "f32"}}, {Tensor::scalar(1.0f), Tensor::of<float>({1}, {1})});
  });
}

}  // namespace
}  // namespace wasmvino::test::bucketize_test
