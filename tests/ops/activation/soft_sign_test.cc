// SPDX-License-Identifier: Apache-2.0
#include "../elementwise/function_tester.h"

namespace wasmvino::test::soft_sign_test {
namespace {

const Function kFunction = {"SoftSign", 9};

TEST(SoftSign, ComputesReals) {
  expect_function(kFunction, {-2.5, -1.0, -0.75, -0.5, 0.0, 0.25, 0.5, 1.0, 3.0},
                  {-0.7142857142857143, -0.5, -0.42857142857142855, -0.3333333333333333, 0.0, 0.2,
                   0.3333333333333333, 0.5, 0.75});
}

TEST(SoftSign, HasItsLimits) { expect_function(kFunction, {NAN}, {NAN}); }

TEST(SoftSign, RefusesIntegers) {
  expect_error(ErrorCode::kInvalidType, "has element type i32, expected a floating point type",
               [] { kFunction(Tensor::scalar<int32_t>(1)); });
}

}  // namespace
}  // namespace wasmvino::test::soft_sign_test
