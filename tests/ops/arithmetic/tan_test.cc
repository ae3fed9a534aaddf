// SPDX-License-Identifier: Apache-2.0
#include "../elementwise/function_tester.h"

namespace wasmvino::test::tan_test {
namespace {

const Function kFunction = {"Tan", 1};

TEST(Tan, ComputesReals) {
  expect_function(kFunction, {-2.5, -1.0, -0.75, -0.5, 0.0, 0.25, 0.5, 1.0, 3.0},
                  {0.7470222972386603, -1.5574077246549023, -0.9315964599440725, -0.5463024898437905, 0.0,
                   0.25534192122103627, 0.5463024898437905, 1.5574077246549023, -0.1425465430742778});
}

TEST(Tan, HasItsLimits) { expect_function(kFunction, {NAN, INFINITY, -INFINITY}, {NAN, NAN, NAN}); }

TEST(Tan, RoundsIntegers) {
  expect_integers(kFunction, {"i16", "i32", "i64"}, {-3, -1, 0, 1, 2, 5}, {0, -2, 0, 2, -2, -3});
  expect_integers(kFunction, {"u8", "u32", "u64"}, {0, 1}, {0, 2});
  expect_error(ErrorCode::kInvalidType, "has element type boolean", [] { kFunction(Tensor::scalar(true)); });
}

}  // namespace
}  // namespace wasmvino::test::tan_test
