// SPDX-License-Identifier: Apache-2.0
#include "../elementwise/function_tester.h"

namespace wasmvino::test::atanh_test {
namespace {

const Function kFunction = {"Atanh", 4};

TEST(Atanh, ComputesReals) {
  expect_function(kFunction, {-0.75, -0.5, 0.0, 0.25},
                  {-0.9729550745276566, -0.5493061443340549, 0.0, 0.25541281188299536});
}

TEST(Atanh, HasItsLimits) {
  expect_function(kFunction, {NAN, INFINITY, -INFINITY, 1.0, -1.0, 2.0},
                  {NAN, NAN, NAN, INFINITY, -INFINITY, NAN});
}

TEST(Atanh, RoundsIntegers) {
  expect_integers(kFunction, {"i16", "i32", "i64"}, {0}, {0});
  expect_integers(kFunction, {"u8", "u32", "u64"}, {0}, {0});
  expect_error(ErrorCode::kInvalidType, "has element type boolean", [] { kFunction(Tensor::scalar(true)); });
}

}  // namespace
}  // namespace wasmvino::test::atanh_test
