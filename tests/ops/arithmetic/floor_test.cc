// SPDX-License-Identifier: Apache-2.0
#include "../elementwise/function_tester.h"

namespace wasmvino::test::floor_test {
namespace {

const Function kFunction = {"Floor", 1};

TEST(Floor, ComputesReals) {
  expect_function(kFunction, {-2.5, -1.5, -1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.5, 2.5, 3.75},
                  {-3.0, -2.0, -1.0, -1.0, -1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0});
}

TEST(Floor, HasItsLimits) {
  expect_function(kFunction, {NAN, INFINITY, -INFINITY}, {NAN, INFINITY, -INFINITY});
}

TEST(Floor, LeavesIntegers) {
  expect_integers(kFunction, {"i8", "i16", "i32", "i64"}, {-5, 0, 7}, {-5, 0, 7});
  expect_integers(kFunction, {"u8", "u64"}, {0, 7}, {0, 7});
  expect_integers(kFunction, {"i64"}, {9007199254740993}, {9007199254740993});
  expect_error(ErrorCode::kInvalidType, "has element type boolean", [] { kFunction(Tensor::scalar(true)); });
}

}  // namespace
}  // namespace wasmvino::test::floor_test
