// SPDX-License-Identifier: Apache-2.0
#include "reduce_tester.h"

namespace wasmvino::test::reduce_prod_test {
namespace {

TEST(ReduceProd, AllAxes) {
  expect_reduced_like(
      "ReduceProd", [] { return 1.0; }, [](double& product, double value) { product *= value; },
      [](double product, double) { return product; });
}

TEST(ReduceProd, Integers) {
  expect_tensor<int32_t>(reduce<int32_t>("ReduceProd", Tensor::of<int32_t>({2, 2}, {-3, -4, 1, -100}), {1}),
                         {2}, {12, -100});
  expect_tensor<int8_t>(reduce<int8_t>("ReduceProd", Tensor::of<int8_t>({2}, {100, -2}), {0}), {}, {-128});
}

TEST(ReduceProd, OfNothingIsOne) {
  expect_near(reduce<float>("ReduceProd", Tensor(ElementType::kF32, {0}), {0}), {}, {1});
}

TEST(ReduceProd, VectorsOfI32) { expect_i32_like_i64("ReduceProd"); }

}  // namespace
}  // namespace wasmvino::test::reduce_prod_test
