// SPDX-License-Identifier: Apache-2.0
#include "../elementwise/function_tester.h"

namespace wasmvino::test::gelu_test {
namespace {

const Function kFunction = {"Gelu", 7};

TEST(Gelu, ComputesReals) {
  expect_function(kFunction, {-2.5, -1.0, -0.75, -0.5, 0.0, 0.25, 0.5, 1.0, 3.0, -4.0},
                  {-0.015524163314440398, -0.15865525393145707, -0.16997051428265114, -0.15426876936299344,
                   0.0, 0.14967658142073093, 0.34573123063700656, 0.8413447460685429, 2.99595030590511,
                   -0.00012668496733247991});
}

TEST(Gelu, HasItsLimits) { expect_function(kFunction, {NAN, INFINITY}, {NAN, INFINITY}); }

TEST(Gelu, RefusesIntegers) {
  expect_error(ErrorCode::kInvalidType, "has element type i32, expected a floating point type",
               [] { kFunction(Tensor::scalar<int32_t>(1)); });
}

TEST(Gelu, HasAnApproximationFromVersion7On) {
  const std::vector<double> x = {-2.5, -1.0, -0.75, -0.5, 0.0, 0.25, 0.5, 1.0, 3.0};
  const model::AttributeTexts tanh = {{"approximation_mode", "TANH"}};
  expect_function({"Gelu", 7, tanh}, x,
                  {-0.015084266089998577, -0.15880800939172324, -0.17003944483437966, -0.15428599017485606,
                   0.0, 0.149675350701685, 0.34571400982514394, 0.8411919906082768, 2.996362607918227});
  expect_function({"Gelu", 2, tanh}, x,
                  {-0.015524163314440398, -0.15865525393145707, -0.16997051428265114, -0.15426876936299344,
                   0.0, 0.14967658142073093, 0.34573123063700656, 0.8413447460685429, 2.99595030590511});
}

}  // namespace
}  // namespace wasmvino::test::gelu_test
