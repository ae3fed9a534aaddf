// SPDX-License-Identifier: Apache-2.0
#include "../elementwise/function_tester.h"

namespace wasmvino::test::elu_test {
namespace {

const Function kFunction = {"Elu", 1, {{"alpha", "0.5"}}};

TEST(Elu, ComputesReals) {
  expect_function(kFunction, {-2.5, -1.0, -0.75, -0.5, 0.0, 0.25, 0.5, 1.0, 3.0},
                  {-0.45895750068805063, -0.31606027941427883, -0.26381672362949266, -0.1967346701436833, 0.0,
                   0.25, 0.5, 1.0, 3.0});
}

TEST(Elu, HasItsLimits) { expect_function(kFunction, {NAN, INFINITY, -INFINITY}, {NAN, INFINITY, -0.5}); }

TEST(Elu, OfIntegersRoundsAndAlphaIs0WhereItIsNotGiven) {
  const Tensor x = Tensor::of<int32_t>({3}, {-9, 0, 5});
  expect_tensor<int32_t>(run_op("Elu", 1, {{"alpha", "3.0"}}, {x})[0], {3}, {-3, 0, 5});
  expect_near(run_op("Elu", 1, {}, {Tensor::of<float>({2}, {-1, 2})})[0], {2}, {0, 2});
}

}  // namespace
}  // namespace wasmvino::test::elu_test
