// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "reduce_tester.h"

namespace wasmvino::test::reduce_l1_test {
namespace {

TEST(ReduceL1, AllAxes) {
  expect_reduced_like(
      "ReduceL1", [] { return 0.0; }, [](double& sum, double value) { sum += std::fabs(value); },
      [](double sum, double) { return sum; });
}

TEST(ReduceL1, SingleElementsLoseTheirSigns) {
  expect_near(reduce<float>("ReduceL1", Tensor::of<float>({1, 2}, {-1, 2}), {0}), {2}, {1, 2});
}

TEST(ReduceL1, Integers) {
  expect_tensor<int8_t>(reduce<int8_t>("ReduceL1", Tensor::of<int8_t>({2}, {-128, 1}), {0}), {}, {127});
  expect_tensor<uint64_t>(reduce<uint64_t>("ReduceL1", Tensor::of<uint64_t>({2}, {~uint64_t{0} - 1, 1}), {0}),
                          {}, {~uint64_t{0}});
}

}  // namespace
}  // namespace wasmvino::test::reduce_l1_test
