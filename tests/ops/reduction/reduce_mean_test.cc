// SPDX-License-Identifier: Apache-2.0
#include "reduce_tester.h"

namespace wasmvino::test::reduce_mean_test {
namespace {

TEST(ReduceMean, AllAxes) {
  expect_reduced_like(
      "ReduceMean", [] { return 0.0; }, [](double& sum, double value) { sum += value; },
      [](double sum, double count) { return sum / count; });
}

TEST(ReduceMean, IntegersAreTruncated) {
  expect_tensor<int32_t>(
      reduce<int32_t>("ReduceMean", Tensor::of<int32_t>({2, 4}, {-3, -4, 100, 100, 1, 2, 2, -100}), {1}), {2},
      {48, -23});
  // The sum may be wider than the type.
  expect_tensor<int8_t>(reduce<int8_t>("ReduceMean", Tensor::of<int8_t>({3}, {100, 100, 100}), {0}), {},
                        {100});
}

TEST(ReduceMean, OfNothingIsZero) {
  expect_near(reduce<float>("ReduceMean", Tensor(ElementType::kF32, {0, 2}), {0}, true), {1, 2}, {0, 0});
}

}  // namespace
}  // namespace wasmvino::test::reduce_mean_test
