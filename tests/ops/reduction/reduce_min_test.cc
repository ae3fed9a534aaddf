// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "reduce_tester.h"

namespace wasmvino::test::reduce_min_test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

TEST(ReduceMin, AllAxes) {
  expect_reduced_like(
      "ReduceMin", [] { return 1e9; }, [](double& min, double value) { min = std::min(min, value); },
      [](double min, double) { return min; });
}

TEST(ReduceMin, NanStaysWhereverItIs) {
  const Tensor data = Tensor::of<float>({3, 3}, {kNan, 1, 2, 1, kNan, 2, 1, 2, kNan});
  expect_near(reduce<float>("ReduceMin", data, {1}), {3}, {kNan, kNan, kNan});
}

TEST(ReduceMin, OfNothingIsTheHighest) {
  expect_near(reduce<float>("ReduceMin", Tensor(ElementType::kF32, {2, 0}), {1}), {2}, {kInf, kInf});
  expect_tensor<int8_t>(reduce<int8_t>("ReduceMin", Tensor(ElementType::kI8, {0}), {0}), {}, {127});
  expect_tensor<uint64_t>(reduce<uint64_t>("ReduceMin", Tensor(ElementType::kU64, {0}), {0}), {},
                          {~uint64_t{0}});
}

TEST(ReduceMin, VectorsOfI32) { expect_i32_like_i64("ReduceMin"); }

}  // namespace
}  // namespace wasmvino::test::reduce_min_test
