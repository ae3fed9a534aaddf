// SPDX-License-Identifier: Apache-2.0
#include "../op_tester.h"

namespace wasmvino::test::logical_or_test {
namespace {

TEST(LogicalOr, HasItsTruthTable) {
  const Tensor a = Tensor::of<bool>({2, 1}, {false, true});
  const Tensor b = Tensor::of<bool>({2}, {false, true});
  expect_tensor<bool>(run_op("LogicalOr", 1, {}, {a, b})[0], {2, 2}, {false, true, true, true});
}

TEST(LogicalOr, AnyByteButZeroIsTrue) {
  uint8_t bytes[] = {2, 0, 255};
  uint8_t ones[] = {1, 1, 4};
  const Tensor a(ElementType::kBoolean, {3}, bytes);
  const Tensor b(ElementType::kBoolean, {3}, ones);
  expect_tensor<bool>(run_op("LogicalOr", 1, {}, {a, b})[0], {3}, {true, true, true});
}

TEST(LogicalOr, RefusesNumbers) {
  expect_error(ErrorCode::kInvalidType, "has element type i32, expected boolean",
               [] { run_op("LogicalOr", 1, {}, {Tensor::scalar<int32_t>(1), Tensor::scalar<int32_t>(1)}); });
}

}  // namespace
}  // namespace wasmvino::test::logical_or_test
