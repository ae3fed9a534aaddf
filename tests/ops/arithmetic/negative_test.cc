// SPDX-License-Identifier: Apache-2.0
#include "../elementwise/function_tester.h"

namespace wasmvino::test::negative_test {
namespace {

const Function kFunction = {"Negative", 1};

TEST(Negative, ComputesReals) {
  expect_function(kFunction, {-2.5, -1.0, -0.75, -0.5, 0.0, 0.25, 0.5, 1.0, 3.0},
                  {2.5, 1.0, 0.75, 0.5, 0.0, -0.25, -0.5, -1.0, -3.0});
}

TEST(Negative, HasItsLimits) {
  expect_function(kFunction, {NAN, INFINITY, -INFINITY}, {NAN, -INFINITY, INFINITY});
}

TEST(Negative, ComputesIntegers) {
  expect_integers(kFunction, {"i8", "i16", "i32", "i64"}, {-5, 0, 7}, {5, 0, -7});
  expect_integers(kFunction, {"i64"}, {-9007199254740993}, {9007199254740993});
  expect_integers(kFunction, {"i8"}, {-128, -127}, {127, 127});
  expect_integers(kFunction, {"u8"}, {1, 0}, {255, 0});
  expect_integers(kFunction, {"u32"}, {1}, {4294967295});
  expect_error(ErrorCode::kInvalidType, "has element type boolean", [] { kFunction(Tensor::scalar(true)); });
}

}  // namespace
}  // namespace wasmvino::test::negative_test
