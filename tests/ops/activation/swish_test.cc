// SPDX-License-Identifier: Apache-2.0
#include "../elementwise/function_tester.h"

namespace wasmvino::test::swish_test {
namespace {

const Function kFunction = {"Swish", 4};

TEST(Swish, ComputesReals) {
  expect_function(kFunction, {-2.5, -1.0, -0.75, -0.5, 0.0, 0.25, 0.5, 1.0, 3.0},
                  {-0.18964545005310887, -0.2689414213699951, -0.24061597561845527, -0.1887703343990727, 0.0,
                   0.14054412522144952, 0.3112296656009273, 0.7310585786300049, 2.8577223804672998});
}

TEST(Swish, HasItsLimits) { expect_function(kFunction, {NAN, INFINITY}, {NAN, INFINITY}); }

TEST(Swish, RefusesIntegers) {
  expect_error(ErrorCode::kInvalidType, "has element type i32, expected a floating point type",
               [] { kFunction(Tensor::scalar<int32_t>(1)); });
}

TEST(Swish, BetaIsAnInput) {
  expect_function({"Swish", 4, {}, {2.5}}, {-2.5, -1.0, -0.75, -0.5, 0.0, 0.25, 0.5, 1.0, 3.0},
                  {-0.004816836658318689, -0.07585818002124355, -0.09972318014837195, -0.11135006941265442,
                   0.0, 0.16283871616651355, 0.38864993058734554, 0.9241418199787566, 2.9983416640892293});
  const Tensor x = Tensor::of<float>({2}, {-1, 2});
  expect_error(ErrorCode::kInvalidShape, "input 1 has shape [2], expected one element",
               [&] { run_op("Swish", 4, {}, {x, x}); });
  expect_error(ErrorCode::kInvalidModel, "the layer has 3 inputs, expected 1 to 2",
               [&] { run_op("Swish", 4, {}, {x, x, x}); });
}

}  // namespace
}  // namespace wasmvino::test::swish_test
