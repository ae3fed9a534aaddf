// SPDX-License-Identifier: Apache-2.0
#include "../elementwise/function_tester.h"

namespace wasmvino::test::sinh_test {
namespace {

const Function kFunction = {"Sinh", 1};

TEST(Sinh, ComputesReals) {
  expect_function(kFunction, {-2.5, -1.0, -0.75, -0.5, 0.0, 0.25, 0.5, 1.0, 3.0},
                  {-6.0502044810397875, -1.1752011936438014, -0.82231673193583, -0.5210953054937474, 0.0,
                   0.2526123168081683, 0.5210953054937474, 1.1752011936438014, 10.017874927409903});
}

TEST(Sinh, HasItsLimits) {
  expect_function(kFunction, {NAN, INFINITY, -INFINITY}, {NAN, INFINITY, -INFINITY});
}

TEST(Sinh, RoundsIntegers) {
  expect_integers(kFunction, {"i16", "i32", "i64"}, {-3, -1, 0, 1, 2, 5}, {-10, -1, 0, 1, 4, 74});
  expect_integers(kFunction, {"u8", "u32", "u64"}, {0, 1, 2, 5}, {0, 1, 4, 74});
  expect_error(ErrorCode::kInvalidType, "has element type boolean", [] { kFunction(Tensor::scalar(true)); });
}

}  // namespace
}  // namespace wasmvino::test::sinh_test
