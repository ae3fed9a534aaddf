// SPDX-License-Identifier: Apache-2.0
#include "../elementwise/function_tester.h"

namespace wasmvino::test::log_test {
namespace {

const Function kFunction = {"Log", 1};

TEST(Log, ComputesReals) {
  expect_function(kFunction, {0.1, 0.5, 1.0, 2.0, 1000.0},
                  {-2.3025850929940455, -0.6931471805599453, 0.0, 0.6931471805599453, 6.907755278982137});
}

TEST(Log, HasItsLimits) {
  expect_function(kFunction, {NAN, INFINITY, -INFINITY, 0.0, -1.0}, {NAN, INFINITY, NAN, -INFINITY, NAN});
}

TEST(Log, RoundsIntegers) {
  expect_integers(kFunction, {"i16", "i32", "i64"}, {1, 2, 5}, {0, 1, 2});
  expect_integers(kFunction, {"u8", "u32", "u64"}, {1, 2, 5}, {0, 1, 2});
  expect_error(ErrorCode::kInvalidType, "has element type boolean", [] { kFunction(Tensor::scalar(true)); });
}

}  // namespace
}  // namespace wasmvino::test::log_test
