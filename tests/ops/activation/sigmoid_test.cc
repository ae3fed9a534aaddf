// SPDX-License-Identifier: Apache-2.0
#include "../elementwise/function_tester.h"

namespace wasmvino::test::sigmoid_test {
namespace {

const Function kFunction = {"Sigmoid", 1};

TEST(Sigmoid, ComputesReals) {
  expect_function(kFunction, {-2.5, -1.0, -0.75, -0.5, 0.0, 0.25, 0.5, 1.0, 3.0},
                  {0.07585818002124355, 0.2689414213699951, 0.320821300824607, 0.3775406687981454, 0.5,
                   0.5621765008857981, 0.6224593312018546, 0.7310585786300049, 0.9525741268224334});
}

TEST(Sigmoid, HasItsLimits) { expect_function(kFunction, {NAN, INFINITY, -INFINITY}, {NAN, 1.0, 0.0}); }

TEST(Sigmoid, RoundsIntegers) {
  expect_integers(kFunction, {"i16", "i32", "i64"}, {-3, -1, 0, 1, 2, 5}, {0, 0, 0, 1, 1, 1});
  expect_integers(kFunction, {"u8", "u32", "u64"}, {0, 1, 2, 5}, {0, 1, 1, 1});
  expect_error(ErrorCode::kInvalidType, "has element type boolean", [] { kFunction(Tensor::scalar(true)); });
}

}  // namespace
}  // namespace wasmvino::test::sigmoid_test
