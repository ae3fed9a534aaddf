// SPDX-License-Identifier: Apache-2.0
#include "../op_tester.h"

namespace wasmvino::test::logical_and_test {
namespace {

TEST(LogicalAnd, HasItsTruthTable) {
  const Tensor a = Tensor::of<bool>({2, 1}, {false, true});
  const Tensor b = Tensor::of<bool>({2}, {false, true});
  expect_tensor<bool>(run_op("LogicalAnd", 1, {}, {a, b})[0], {2, 2}, {false, false, false, true});
}

TEST(LogicalAnd, AnyByteButZeroIsTrue) {
  uint8_t bytes[] = {2, 0, 255};
  uint8_t ones[] = {1, 1, 4};
  const Tensor a(ElementType::kBoolean, {3}, bytes);
  const Tensor b(ElementType::kBoolean, {3}, ones);
  expect_tensor<bool>(run_op("LogicalAnd", 1, {}, {a, b})[0], {3}, {true, false, true});
}

TEST(LogicalAnd, RefusesNumbers) {
  expect_error(ErrorCode::kInvalidType, "has element type i32, expected boolean",
               [] { run_op("LogicalAnd", 1, {}, {Tensor::scalar<int32_t>(1), Tensor::scalar<int32_t>(1)}); });
}

}  // namespace
}  // namespace wasmvino::test::logical_and_test
