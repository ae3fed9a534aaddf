// SPDX-License-Identifier: Apache-2.0
#include "../elementwise/function_tester.h"

namespace wasmvino::test::exp_test {
namespace {

const Function kFunction = {"Exp", 1};

TEST(Exp, ComputesReals) {
  expect_function(kFunction, {-2.5, -1.0, -0.75, -0.5, 0.0, 0.25, 0.5, 1.0, 3.0},
                  {0.0820849986238988, 0.36787944117144233, 0.4723665527410147, 0.6065306597126334, 1.0,
                   1.2840254166877414, 1.6487212707001282, 2.718281828459045, 20.085536923187668});
}

TEST(Exp, HasItsLimits) {
  expect_function(kFunction, {NAN, INFINITY, -INFINITY, 100.0, -110.0},
                  {NAN, INFINITY, 0.0, 2.6881171418161356e+43, 1.6889118802245324e-48});
}

TEST(Exp, RoundsIntegers) {
  expect_integers(kFunction, {"i16", "i32", "i64"}, {-3, -1, 0, 1, 2, 5}, {0, 0, 1, 3, 7, 148});
  expect_integers(kFunction, {"u8", "u32", "u64"}, {0, 1, 2, 5}, {1, 3, 7, 148});
  expect_error(ErrorCode::kInvalidType, "has element type boolean", [] { kFunction(Tensor::scalar(true)); });
}

}  // namespace
}  // namespace wasmvino::test::exp_test
