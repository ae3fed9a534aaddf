// SPDX-License-Identifier: Apache-2.0
#include "../elementwise/function_tester.h"

namespace wasmvino::test::hard_sigmoid_test {
namespace {

const Function kFunction = {"HardSigmoid", 1, {}, {0.25, 0.375}};

TEST(HardSigmoid, ComputesReals) {
  expect_function(kFunction, {-2.5, -1.0, -0.75, -0.5, 0.0, 0.25, 0.5, 1.0, 3.0, 9.0, -9.0},
                  {0.0, 0.125, 0.1875, 0.25, 0.375, 0.4375, 0.5, 0.625, 1.0, 1.0, 0.0});
}

TEST(HardSigmoid, HasItsLimits) { expect_function(kFunction, {NAN, INFINITY, -INFINITY}, {NAN, 1.0, 0.0}); }

TEST(HardSigmoid, BetaMayBeZero) {
  expect_function({"HardSigmoid", 1, {}, {1.0, 0.0}}, {-1, 0.25, 2}, {0, 0.25, 1});
}

TEST(HardSigmoid, OfIntegersIsRounded) {
  expect_integers({"HardSigmoid", 1, {}, {1.0, 0.0}}, {"i8", "i32", "i64"}, {-2, 0, 1, 5}, {0, 0, 1, 1});
}

TEST(HardSigmoid, ParametersAreOfOneElementAndTheDatasType) {
  const Tensor x = Tensor::of<float>({2}, {-1, 2});
  const Tensor one = Tensor::scalar(1.0f);
  expect_error(ErrorCode::kInvalidShape, "input 2 has shape [2], expected one element",
               [&] { run_op("HardSigmoid", 1, {}, {x, one, x}); });
  expect_error(ErrorCode::kInvalidType, "alpha has element type f64, X has f32",
               [&] { run_op("HardSigmoid", 1, {}, {x, Tensor::scalar(1.0), one}); });
  expect_error(ErrorCode::kInvalidModel, "the layer has 1 inputs, expected 3",
               [&] { run_op("HardSigmoid", 1, {}, {x}); });
}

}  // namespace
}  // namespace wasmvino::test::hard_sigmoid_test
