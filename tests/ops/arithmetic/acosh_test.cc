// SPDX-License-Identifier: Apache-2.0
#include "../elementwise/function_tester.h"

namespace wasmvino::test::acosh_test {
namespace {

const Function kFunction = {"Acosh", 4};

TEST(Acosh, ComputesReals) {
  expect_function(kFunction, {1.0, 1.5, 2.0, 100.0},
                  {0.0, 0.9624236501192069, 1.3169578969248168, 5.298292365610485});
}

TEST(Acosh, HasItsLimits) {
  expect_function(kFunction, {NAN, INFINITY, -INFINITY, 0.5}, {NAN, INFINITY, NAN, NAN});
}

TEST(Acosh, RoundsIntegers) {
  expect_integers(kFunction, {"i16", "i32", "i64"}, {1, 2, 5}, {0, 1, 2});
  expect_integers(kFunction, {"u8", "u32", "u64"}, {1, 2, 5}, {0, 1, 2});
  expect_error(ErrorCode::kInvalidType, "has element type boolean", [] { kFunction(Tensor::scalar(true)); });
}

}  // namespace
}  // namespace wasmvino::test::acosh_test
