// SPDX-License-Identifier: Apache-2.0
#include "reduce_tester.h"

namespace wasmvino::test::reduce_logical_or_test {
namespace {

TEST(ReduceLogicalOr, RowsAndColumns) {
  const Tensor data = Tensor::of<bool>({3, 2}, {true, true, true, false, false, false});
  expect_tensor<bool>(reduce<bool>("ReduceLogicalOr", data, {1}), {3}, {true, true, false});
  expect_tensor<bool>(reduce<bool>("ReduceLogicalOr", data, {0, 1}), {}, {true});
}

TEST(ReduceLogicalOr, OfNothingIsFalse) {
  expect_tensor<bool>(reduce<bool>("ReduceLogicalOr", Tensor(ElementType::kBoolean, {0, 2}), {0}), {2},
                      {false, false});
}

TEST(ReduceLogicalOr, RefusesNumbers) {
  expect_error(ErrorCode::kInvalidType, "expected boolean",
               [] { reduce<int32_t>("ReduceLogicalOr", Tensor::scalar(1), {}); });
}

}  // namespace
}  // namespace wasmvino::test::reduce_logical_or_test
