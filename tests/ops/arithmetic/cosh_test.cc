// SPDX-License-Identifier: Apache-2.0
#include "../elementwise/function_tester.h"

namespace wasmvino::test::cosh_test {
namespace {

const Function kFunction = {"Cosh", 1};

TEST(Cosh, ComputesReals) {
  expect_function(kFunction, {-2.5, -1.0, -0.75, -0.5, 0.0, 0.25, 0.5, 1.0, 3.0},
                  {6.132289479663686, 1.5430806348152437, 1.2946832846768448, 1.1276259652063807, 1.0,
                   1.0314130998795732, 1.1276259652063807, 1.5430806348152437, 10.067661995777765});
}

TEST(Cosh, HasItsLimits) {
  expect_function(kFunction, {NAN, INFINITY, -INFINITY}, {NAN, INFINITY, INFINITY});
}

TEST(Cosh, RoundsIntegers) {
  expect_integers(kFunction, {"i16", "i32", "i64"}, {-3, -1, 0, 1, 2, 5}, {10, 2, 1, 2, 4, 74});
  expect_integers(kFunction, {"u8", "u32", "u64"}, {0, 1, 2, 5}, {1, 2, 4, 74});
  expect_error(ErrorCode::kInvalidType, "has element type boolean", [] { kFunction(Tensor::scalar(true)); });
}

}  // namespace
}  // namespace wasmvino::test::cosh_test
