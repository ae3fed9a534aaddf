// SPDX-License-Identifier: Apache-2.0
#include "../elementwise/function_tester.h"

namespace wasmvino::test::sin_test {
namespace {

const Function kFunction = {"Sin", 1};

TEST(Sin, ComputesReals) {
  expect_function(
      kFunction, {-2.5, -1.0, -0.75, -0.5, 0.0, 0.25, 0.5, 1.0, 3.0, 100.0},
      {-0.5984721441039565, -0.8414709848078965, -0.6816387600233341, -0.479425538604203, 0.0,
       0.24740395925452294, 0.479425538604203, 0.8414709848078965, 0.1411200080598672, -0.5063656411097588});
}

TEST(Sin, HasItsLimits) { expect_function(kFunction, {NAN, INFINITY, -INFINITY}, {NAN, NAN, NAN}); }

TEST(Sin, RoundsIntegers) {
  expect_integers(kFunction, {"i16", "i32", "i64"}, {-3, -1, 0, 1, 2, 5}, {0, -1, 0, 1, 1, -1});
  expect_integers(kFunction, {"u8", "u32", "u64"}, {0, 1, 2}, {0, 1, 1});
  expect_error(ErrorCode::kInvalidType, "has element type boolean", [] { kFunction(Tensor::scalar(true)); });
}

}  // namespace
}  // namespace wasmvino::test::sin_test
