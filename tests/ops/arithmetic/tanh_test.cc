// SPDX-License-Identifier: Apache-2.0
#include "../elementwise/function_tester.h"

namespace wasmvino::test::tanh_test {
namespace {

const Function kFunction = {"Tanh", 1};

TEST(Tanh, ComputesReals) {
  expect_function(kFunction, {-2.5, -1.0, -0.75, -0.5, 0.0, 0.25, 0.5, 1.0, 3.0},
                  {-0.9866142981514303, -0.7615941559557649, -0.6351489523872873, -0.46211715726000974, 0.0,
                   0.24491866240370913, 0.46211715726000974, 0.7615941559557649, 0.9950547536867305});
}

TEST(Tanh, HasItsLimits) {
  expect_function(kFunction, {NAN, INFINITY, -INFINITY, 20.0, -20.0}, {NAN, 1.0, -1.0, 1.0, -1.0});
}

TEST(Tanh, RoundsIntegers) {
  expect_integers(kFunction, {"i16", "i32", "i64"}, {-3, -1, 0, 1, 2, 5}, {-1, -1, 0, 1, 1, 1});
  expect_integers(kFunction, {"u8", "u32", "u64"}, {0, 1, 2, 5}, {0, 1, 1, 1});
  expect_error(ErrorCode::kInvalidType, "has element type boolean", [] { kFunction(Tensor::scalar(true)); });
}

}  // namespace
}  // namespace wasmvino::test::tanh_test
