// SPDX-License-Identifier: Apache-2.0
#include "../elementwise/function_tester.h"

namespace wasmvino::test::asin_test {
namespace {

const Function kFunction = {"Asin", 1};

TEST(Asin, ComputesReals) {
  expect_function(kFunction, {-1.0, -0.5, 0.0, 0.25, 1.0},
                  {-1.5707963267948966, -0.5235987755982989, 0.0, 0.25268025514207865, 1.5707963267948966});
}

TEST(Asin, HasItsLimits) {
  expect_function(kFunction, {NAN, INFINITY, -INFINITY, 1.5}, {NAN, NAN, NAN, NAN});
}

TEST(Asin, RoundsIntegers) {
  expect_integers(kFunction, {"i16", "i32", "i64"}, {-1, 0, 1}, {-2, 0, 2});
  expect_integers(kFunction, {"u8", "u32", "u64"}, {0, 1}, {0, 2});
  expect_error(ErrorCode::kInvalidType, "has element type boolean", [] { kFunction(Tensor::scalar(true)); });
}

}  // namespace
}  // namespace wasmvino::test::asin_test
