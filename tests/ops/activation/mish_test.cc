// SPDX-License-Identifier: Apache-2.0
#include "../elementwise/function_tester.h"

namespace wasmvino::test::mish_test {
namespace {

const Function kFunction = {"Mish", 4};

TEST(Mish, ComputesReals) {
  expect_function(kFunction, {-2.5, -1.0, -0.75, -0.5, 0.0, 0.25, 0.5, 1.0, 3.0, 30.0, -30.0},
                  {-0.19681620390653332, -0.30340146137410895, -0.2764947145054652, -0.22074377465173, 0.0,
                   0.1695724096638176, 0.3752452113048951, 0.8650983882673103, 2.986535004967957, 30.0,
                   -2.807286890651921e-12});
}

TEST(Mish, HasItsLimits) { expect_function(kFunction, {NAN, INFINITY}, {NAN, INFINITY}); }

TEST(Mish, RefusesIntegers) {
  expect_error(ErrorCode::kInvalidType, "has element type i32, expected a floating point type",
               [] { kFunction(Tensor::scalar<int32_t>(1)); });
}

}  // namespace
}  // namespace wasmvino::test::mish_test
