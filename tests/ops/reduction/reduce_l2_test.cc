// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "reduce_tester.h"

namespace wasmvino::test::reduce_l2_test {
namespace {

TEST(ReduceL2, AllAxes) {
  expect_reduced_like(
      "ReduceL2", [] { return 0.0; }, [](double& sum, double value) { sum += value * value; },
      [](double sum, double) { return std::sqrt(sum); });
}

TEST(ReduceL2, IntegersAreTruncated) {
  expect_tensor<int32_t>(reduce<int32_t>("ReduceL2", Tensor::of<int32_t>({4}, {-3, -4, 100, 100}), {0}), {},
                         {141});
  // Squares need not fit the type, nor 64 bits.
  expect_tensor<int64_t>(
      reduce<int64_t>("ReduceL2", Tensor::of<int64_t>({2}, {3'000'000'000'000, 4'000'000'000'000}), {0}), {},
      {5'000'000'000'000});
  expect_tensor<uint8_t>(reduce<uint8_t>("ReduceL2", Tensor::of<uint8_t>({2}, {250, 250}), {0}), {}, {255});
}

}  // namespace
}  // namespace wasmvino::test::reduce_l2_test
