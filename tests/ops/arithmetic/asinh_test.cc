// SPDX-License-Identifier: Apache-2.0
#include "../elementwise/function_tester.h"

namespace wasmvino::test::asinh_test {
namespace {

const Function kFunction = {"Asinh", 4};

TEST(Asinh, ComputesReals) {
  expect_function(kFunction, {-2.5, -1.0, -0.75, -0.5, 0.0, 0.25, 0.5, 1.0, 3.0},
                  {-1.6472311463710958, -0.881373587019543, -0.6931471805599453, -0.48121182505960347, 0.0,
                   0.24746646154726346, 0.48121182505960347, 0.881373587019543, 1.8184464592320668});
}

TEST(Asinh, HasItsLimits) {
  expect_function(kFunction, {NAN, INFINITY, -INFINITY}, {NAN, INFINITY, -INFINITY});
}

TEST(Asinh, RoundsIntegers) {
  expect_integers(kFunction, {"i16", "i32", "i64"}, {-3, -1, 0, 1, 2, 5}, {-2, -1, 0, 1, 1, 2});
  expect_integers(kFunction, {"u8", "u32", "u64"}, {0, 1, 2, 5}, {0, 1, 1, 2});
  expect_error(ErrorCode::kInvalidType, "has element type boolean", [] { kFunction(Tensor::scalar(true)); });
}

}  // namespace
}  // namespace wasmvino::test::asinh_test
