// SPDX-License-Identifier: Apache-2.0
#include "../elementwise/function_tester.h"

namespace wasmvino::test::cos_test {
namespace {

const Function kFunction = {"Cos", 1};

TEST(Cos, ComputesReals) {
  expect_function(
      kFunction, {-2.5, -1.0, -0.75, -0.5, 0.0, 0.25, 0.5, 1.0, 3.0, 100.0},
      {-0.8011436155469337, 0.5403023058681398, 0.7316888688738209, 0.8775825618903728, 1.0,
       0.9689124217106447, 0.8775825618903728, 0.5403023058681398, -0.9899924966004454, 0.8623188722876839});
}

TEST(Cos, HasItsLimits) { expect_function(kFunction, {NAN, INFINITY, -INFINITY}, {NAN, NAN, NAN}); }

TEST(Cos, RoundsIntegers) {
  expect_integers(kFunction, {"i16", "i32", "i64"}, {-3, -1, 0, 1, 2, 5}, {-1, 1, 1, 1, 0, 0});
  expect_integers(kFunction, {"u8", "u32", "u64"}, {0, 1, 2, 5}, {1, 1, 0, 0});
  expect_error(ErrorCode::kInvalidType, "has element type boolean", [] { kFunction(Tensor::scalar(true)); });
}

}  // namespace
}  // namespace wasmvino::test::cos_test
