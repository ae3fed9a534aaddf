// SPDX-License-Identifier: Apache-2.0
#include "../elementwise/function_tester.h"

namespace wasmvino::test::erf_test {
namespace {

const Function kFunction = {"Erf", 1};

TEST(Erf, ComputesReals) {
  expect_function(kFunction, {-2.5, -1.0, -0.75, -0.5, 0.0, 0.25, 0.5, 1.0, 3.0},
                  {-0.999593047982555, -0.8427007929497149, -0.7111556336535151, -0.5204998778130465, 0.0,
                   0.2763263901682369, 0.5204998778130465, 0.8427007929497149, 0.9999779095030014});
}

TEST(Erf, HasItsLimits) {
  expect_function(kFunction, {NAN, INFINITY, -INFINITY, 5.0, -5.0},
                  {NAN, 1.0, -1.0, 0.9999999999984626, -0.9999999999984626});
}

TEST(Erf, RoundsIntegers) {
  expect_integers(kFunction, {"i16", "i32", "i64"}, {-3, -1, 0, 1, 2, 5}, {-1, -1, 0, 1, 1, 1});
  expect_integers(kFunction, {"u8", "u32", "u64"}, {0, 1, 2, 5}, {0, 1, 1, 1});
  expect_error(ErrorCode::kInvalidType, "has element type boolean", [] { kFunction(Tensor::scalar(true)); });
}

}  // namespace
}  // namespace wasmvino::test::erf_test
