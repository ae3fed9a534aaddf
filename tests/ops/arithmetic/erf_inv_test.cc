// SPDX-License-Identifier: Apache-2.0
#include "../elementwise/function_tester.h"

namespace wasmvino::test::erf_inv_test {
namespace {

const Function kFunction = {"ErfInv", 17};

TEST(ErfInv, ComputesReals) {
  expect_function(kFunction, {-0.9375, -0.5, -0.0001, 0.0, 0.25, 0.75, 0.984375},
                  {-1.3171503349861304, -0.4769362762044699, -8.862269277728948e-05, 0.0, 0.22531205501217813,
                   0.8134198475976185, 1.7094723742995113});
}

TEST(ErfInv, HasItsLimits) {
  expect_function(kFunction, {NAN, 1.0, -1.0, 1.5}, {NAN, INFINITY, -INFINITY, NAN});
}

TEST(ErfInv, RefusesIntegers) {
  expect_error(ErrorCode::kInvalidType, "has element type i32, expected a floating point type",
               [] { kFunction(Tensor::scalar<int32_t>(1)); });
}

}  // namespace
}  // namespace wasmvino::test::erf_inv_test
