// SPDX-License-Identifier: Apache-2.0
#include "../elementwise/function_tester.h"

namespace wasmvino::test::sqrt_test {
namespace {

const Function kFunction = {"Sqrt", 1};

TEST(Sqrt, ComputesReals) {
  expect_function(kFunction, {0.0, 0.25, 2.0, 9.0, 1000000.0}, {0.0, 0.5, 1.4142135623730951, 3.0, 1000.0});
}

TEST(Sqrt, HasItsLimits) {
  expect_function(kFunction, {NAN, INFINITY, -INFINITY, -1.0}, {NAN, INFINITY, NAN, NAN});
}

TEST(Sqrt, RoundsIntegers) {
  expect_integers(kFunction, {"i16", "i32", "i64"}, {0, 1, 2, 5}, {0, 1, 1, 2});
  expect_integers(kFunction, {"u8", "u32", "u64"}, {0, 1, 2, 5}, {0, 1, 1, 2});
  expect_error(ErrorCode::kInvalidType, "has element type boolean", [] { kFunction(Tensor::scalar(true)); });
}

}  // namespace
}  // namespace wasmvino::test::sqrt_test
