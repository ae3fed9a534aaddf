// SPDX-License-Identifier: Apache-2.0
#include "reduce_tester.h"

namespace wasmvino::test::reduce_logical_and_test {
namespace {

TEST(ReduceLogicalAnd, RowsAndColumns) {
  const Tensor data = Tensor::of<bool>({3, 2}, {true, true, true, false, false, false});
  expect_tensor<bool>(reduce<bool>("ReduceLogicalAnd", data, {1}), {3}, {true, false, false});
  expect_tensor<bool>(reduce<bool>("ReduceLogicalAnd", data, {0}, true), {1, 2}, {false, false});
  expect_tensor<bool>(reduce<bool>("ReduceLogicalAnd", data, {}), {3, 2},
                      {true, true, true, false, false, false});
}

TEST(ReduceLogicalAnd, OfNothingIsTrue) {
  expect_tensor<bool>(reduce<bool>("ReduceLogicalAnd", Tensor(ElementType::kBoolean, {0, 2}), {0}), {2},
                      {true, true});
}

TEST(ReduceLogicalAnd, RefusesNumbers) {
  expect_error(ErrorCode::kInvalidType, "expected boolean",
               [] { reduce<float>("ReduceLogicalAnd", Tensor::scalar(1.0f), {}); });
}

}  // namespace
}  // namespace wasmvino::test::reduce_logical_and_test
