// SPDX-License-Identifier: Apache-2.0
#include "../elementwise/function_tester.h"

namespace wasmvino::test::relu_test {
namespace {

const Function kFunction = {"Relu", 1};

TEST(Relu, ComputesReals) {
  expect_function(kFunction, {-2.5, -1.0, -0.75, -0.5, 0.0, 0.25, 0.5, 1.0, 3.0},
                  {0.0, 0.0, 0.0, 0.0, 0.0, 0.25, 0.5, 1.0, 3.0});
}

TEST(Relu, HasItsLimits) { expect_function(kFunction, {NAN, INFINITY, -INFINITY}, {NAN, INFINITY, 0.0}); }

TEST(Relu, ComputesIntegers) {
  expect_integers(kFunction, {"i8", "i16", "i32", "i64"}, {-5, 0, 7}, {0, 0, 7});
  expect_integers(kFunction, {"i64"}, {9007199254740993}, {9007199254740993});
  expect_integers(kFunction, {"u8", "u16", "u32", "u64"}, {0, 255}, {0, 255});
  expect_error(ErrorCode::kInvalidType, "has element type boolean", [] { kFunction(Tensor::scalar(true)); });
}

}  // namespace
}  // namespace wasmvino::test::relu_test
