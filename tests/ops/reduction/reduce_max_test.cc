// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "reduce_tester.h"

namespace wasmvino::test::reduce_max_test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

TEST(ReduceMax, AllAxes) {
  expect_reduced_like(
      "ReduceMax", [] { return -1e9; }, [](double& max, double value) { max = std::max(max, value); },
      [](double max, double) { return max; });
}

TEST(ReduceMax, NanStaysWhereverItIs) {
  const Tensor data = Tensor::of<float>({3, 3}, {kNan, 1, 2, 1, kNan, 2, 1, 2, kNan});
  expect_near(reduce<float>("ReduceMax", data, {1}), {3}, {kNan, kNan, kNan});
  expect_near(reduce<float>("ReduceMax", data, {0}), {3}, {kNan, kNan, kNan});
}

TEST(ReduceMax, OfNothingIsTheLowest) {
  expect_near(reduce<float>("ReduceMax", Tensor(ElementType::kF32, {2, 0}), {1}), {2}, {-kInf, -kInf});
  expect_tensor<int32_t>(reduce<int32_t>("ReduceMax", Tensor(ElementType::kI32, {0}), {0}), {},
                         {std::numeric_limits<int32_t>::min()});
  expect_tensor<uint8_t>(reduce<uint8_t>("ReduceMax", Tensor(ElementType::kU8, {0}), {0}), {}, {0});
}

TEST(ReduceMax, IntegersAreExact) {
  const int64_t big = (int64_t{1} << 62) + 1;
  expect_tensor<int64_t>(reduce<int64_t>("ReduceMax", Tensor::of<int64_t>({3}, {big, big + 1, -5}), {0}), {},
                         {big + 1});
  expect_tensor<uint64_t>(reduce<uint64_t>("ReduceMax", Tensor::of<uint64_t>({2}, {1, ~uint64_t{0}}), {0}),
                          {}, {~uint64_t{0}});
  expect_tensor<int8_t>(reduce<int8_t>("ReduceMax", Tensor::of<int8_t>({2}, {-128, -100}), {0}), {}, {-100});
}

TEST(ReduceMax, VectorsOfI32) { expect_i32_like_i64("ReduceMax"); }

}  // namespace
}  // namespace wasmvino::test::reduce_max_test
