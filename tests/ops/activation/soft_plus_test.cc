// SPDX-License-Identifier: Apache-2.0
#include "../elementwise/function_tester.h"

namespace wasmvino::test::soft_plus_test {
namespace {

const Function kFunction = {"SoftPlus", 4};

TEST(SoftPlus, ComputesReals) {
  expect_function(kFunction, {-2.5, -1.0, -0.75, -0.5, 0.0, 0.25, 0.5, 1.0, 3.0, 30.0, -30.0},
                  {0.07888973429254963, 0.31326168751822286, 0.38687100611489994, 0.4740769841801067,
                   0.6931471805599453, 0.8259394198788436, 0.9740769841801067, 1.3132616875182228,
                   3.048587351573742, 30.000000000000092, 9.357622968839737e-14});
}

TEST(SoftPlus, HasItsLimits) { expect_function(kFunction, {NAN, INFINITY, -INFINITY}, {NAN, INFINITY, 0.0}); }

TEST(SoftPlus, RefusesIntegers) {
  expect_error(ErrorCode::kInvalidType, "has element type i32, expected a floating point type",
               [] { kFunction(Tensor::scalar<int32_t>(1)); });
}

}  // namespace
}  // namespace wasmvino::test::soft_plus_test
