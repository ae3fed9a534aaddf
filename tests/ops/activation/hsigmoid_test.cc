// SPDX-License-Identifier: Apache-2.0
#include "../elementwise/function_tester.h"

namespace wasmvino::test::hsigmoid_test {
namespace {

const Function kFunction = {"HSigmoid", 5};

TEST(HSigmoid, ComputesReals) {
  expect_function(kFunction, {-2.5, -1.0, -0.75, -0.5, 0.0, 0.25, 0.5, 1.0, 3.0, 7.0, -7.0},
                  {0.08333333333333333, 0.3333333333333333, 0.375, 0.4166666666666667, 0.5,
                   0.5416666666666666, 0.5833333333333334, 0.6666666666666666, 1.0, 1.0, 0.0});
}

TEST(HSigmoid, HasItsLimits) { expect_function(kFunction, {NAN, INFINITY, -INFINITY}, {NAN, 1.0, 0.0}); }

TEST(HSigmoid, RoundsIntegers) {
  expect_integers(kFunction, {"i16", "i32", "i64"}, {-3, -1, 0, 1, 2, 5}, {0, 0, 0, 1, 1, 1});
  expect_integers(kFunction, {"u8", "u32", "u64"}, {0, 1, 2, 5}, {0, 1, 1, 1});
  expect_error(ErrorCode::kInvalidType, "has element type boolean", [] { kFunction(Tensor::scalar(true)); });
}

}  // namespace
}  // namespace wasmvino::test::hsigmoid_test
