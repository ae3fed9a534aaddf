// SPDX-License-Identifier: Apache-2.0
#include "../elementwise/function_tester.h"

namespace wasmvino::test::acos_test {
namespace {

const Function kFunction = {"Acos", 1};

TEST(Acos, ComputesReals) {
  expect_function(kFunction, {-1.0, -0.5, 0.0, 0.25, 1.0},
                  {3.141592653589793, 2.0943951023931957, 1.5707963267948966, 1.318116071652818, 0.0});
}

TEST(Acos, HasItsLimits) {
  expect_function(kFunction, {NAN, INFINITY, -INFINITY, 1.5}, {NAN, NAN, NAN, NAN});
}

TEST(Acos, RoundsIntegers) {
  expect_integers(kFunction, {"i16", "i32", "i64"}, {-1, 0, 1}, {3, 2, 0});
  expect_integers(kFunction, {"u8", "u32", "u64"}, {0, 1}, {2, 0});
  expect_error(ErrorCode::kInvalidType, "has element type boolean", [] { kFunction(Tensor::scalar(true)); });
}

}  // namespace
}  // namespace wasmvino::test::acos_test
