// SPDX-License-Identifier: Apache-2.0
#include "../elementwise/function_tester.h"

namespace wasmvino::test::sign_test {
namespace {

const Function kFunction = {"Sign", 1};

TEST(Sign, ComputesReals) {
  expect_function(kFunction, {-2.5, -1.0, -0.75, -0.5, 0.0, 0.25, 0.5, 1.0, 3.0},
                  {-1.0, -1.0, -1.0, -1.0, 0.0, 1.0, 1.0, 1.0, 1.0});
}

TEST(Sign, HasItsLimits) { expect_function(kFunction, {NAN, INFINITY, -INFINITY}, {NAN, 1.0, -1.0}); }

TEST(Sign, ComputesIntegers) {
  expect_integers(kFunction, {"i8", "i16", "i32", "i64"}, {-5, 0, 7}, {-1, 0, 1});
  expect_integers(kFunction, {"i64"}, {-(1ll << 40), 1ll << 40}, {-1, 1});
  expect_integers(kFunction, {"u8", "u16", "u32", "u64"}, {0, 255}, {0, 1});
  expect_integers(kFunction, {"u32", "u64"}, {4000000000}, {1});
  expect_integers(kFunction, {"u64"}, {-1}, {1});
  expect_error(ErrorCode::kInvalidType, "has element type boolean", [] { kFunction(Tensor::scalar(true)); });
}

}  // namespace
}  // namespace wasmvino::test::sign_test
