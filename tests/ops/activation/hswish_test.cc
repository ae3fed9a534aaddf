// SPDX-License-Identifier: Apache-2.0
#include "../elementwise/function_tester.h"

namespace wasmvino::test::hswish_test {
namespace {

const Function kFunction = {"HSwish", 4};

TEST(HSwish, ComputesReals) {
  expect_function(kFunction, {-2.5, -1.0, -0.75, -0.5, 0.0, 0.25, 0.5, 1.0, 3.0, 7.0, -7.0},
                  {-0.20833333333333334, -0.3333333333333333, -0.28125, -0.20833333333333334, 0.0,
                   0.13541666666666666, 0.2916666666666667, 0.6666666666666666, 3.0, 7.0, -0.0});
}

TEST(HSwish, HasItsLimits) { expect_function(kFunction, {NAN, INFINITY}, {NAN, INFINITY}); }

TEST(HSwish, RoundsIntegers) {
  expect_integers(kFunction, {"i16", "i32", "i64"}, {-3, -1, 0, 1, 2, 5}, {0, 0, 0, 1, 2, 5});
  expect_integers(kFunction, {"u8", "u32", "u64"}, {0, 1, 2, 5}, {0, 1, 2, 5});
  expect_error(ErrorCode::kInvalidType, "has element type boolean", [] { kFunction(Tensor::scalar(true)); });
}

}  // namespace
}  // namespace wasmvino::test::hswish_test
