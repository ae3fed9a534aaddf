// SPDX-License-Identifier: Apache-2.0
#include "../elementwise/function_tester.h"

namespace wasmvino::test::atan_test {
namespace {

const Function kFunction = {"Atan", 1};

TEST(Atan, ComputesReals) {
  expect_function(kFunction, {-2.5, -1.0, -0.75, -0.5, 0.0, 0.25, 0.5, 1.0, 3.0},
                  {-1.1902899496825317, -0.7853981633974483, -0.6435011087932844, -0.4636476090008061, 0.0,
                   0.24497866312686414, 0.4636476090008061, 0.7853981633974483, 1.2490457723982544});
}

TEST(Atan, HasItsLimits) {
  expect_function(kFunction, {NAN, INFINITY, -INFINITY}, {NAN, 1.5707963267948966, -1.5707963267948966});
}

TEST(Atan, RoundsIntegers) {
  expect_integers(kFunction, {"i16", "i32", "i64"}, {-3, -1, 0, 1, 2, 5}, {-1, -1, 0, 1, 1, 1});
  expect_integers(kFunction, {"u8", "u32", "u64"}, {0, 1, 2, 5}, {0, 1, 1, 1});
  expect_error(ErrorCode::kInvalidType, "has element type boolean", [] { kFunction(Tensor::scalar(true)); });
}

}  // namespace
}  // namespace wasmvino::test::atan_test
