// SPDX-License-Identifier: Apache-2.0
#include "../elementwise/function_tester.h"

namespace wasmvino::test::selu_test {
namespace {

const Function kFunction = {"Selu", 1, {}, {1.25, 1.5}};

TEST(Selu, ComputesReals) {
  expect_function(kFunction, {-2.5, -1.0, -0.75, -0.5, 0.0, 0.25, 0.5, 1.0, 3.0},
                  {-1.72109062758019, -1.1852260478035457, -0.9893127136105975, -0.7377550130388123, 0.0,
                   0.375, 0.75, 1.5, 4.5});
}

TEST(Selu, HasItsLimits) { expect_function(kFunction, {NAN, INFINITY}, {NAN, INFINITY}); }

TEST(Selu, RefusesIntegers) {
  expect_error(ErrorCode::kInvalidType, "has element type i32, expected a floating point type",
               [] { kFunction(Tensor::scalar<int32_t>(1)); });
}

TEST(Selu, ParametersAreOfOneElementAndTheDatasType) {
  const Tensor x = Tensor::of<float>({2, 1}, {-1, 2});
  const Tensor one = Tensor::of<float>({1}, {1});
  expect_near(run_op("Selu", 1, {}, {x, one, one})[0], {2, 1}, {std::expm1(-1.0f), 2});
  expect_error(ErrorCode::kInvalidShape, "input 1 has shape [2,1], expected one element",
               [&] { run_op("Selu", 1, {}, {x, x, one}); });
  expect_error(ErrorCode::kInvalidType, "lambda has element type f64, data has f32",
               [&] { run_op("Selu", 1, {}, {x, one, Tensor::scalar(1.0)}); });
  expect_error(ErrorCode::kInvalidModel, "the layer has 2 inputs, expected 3",
               [&] { run_op("Selu", 1, {}, {x, one}); });
}

}  // namespace
}  // namespace wasmvino::test::selu_test
