// SPDX-License-Identifier: Apache-2.0
#include "../op_tester.h"

namespace wasmvino::test::logical_xor_test {
namespace {

TEST(LogicalXor, HasItsTruthTable) {
  const Tensor a = Tensor::of<bool>({2, 1}, {false, true});
  const Tensor b = Tensor::of<bool>({2}, {false, true});
  expect_tensor<bool>(run_op("LogicalXor", 1, {}, {a, b})[0], {2, 2}, {false, true, true, false});
}

TEST(LogicalXor, AnyByteButZeroIsTrue) {
  uint8_t bytes[] = {2, 0, 255};
  uint8_t ones[] = {1, 1, 4};
  const Tensor a(ElementType::kBoolean, {3}, bytes);
  const Tensor b(ElementType::kBoolean, {3}, ones);
  expect_tensor<bool>(run_op("LogicalXor", 1, {}, {a, b})[0], {3}, {false, true, false});
}

TEST(LogicalXor, RefusesNumbers) {
  expect_error(ErrorCode::kInvalidType, "has element type i32, expected boolean",
               [] { run_op("LogicalXor", 1, {}, {Tensor::scalar<int32_t>(1), Tensor::scalar<int32_t>(1)}); });
}

TEST(LogicalXor, WasCalledXorInOpset1) {
  const Tensor yes = Tensor::scalar(true);
  expect_tensor<bool>(run_op("Xor", 1, {}, {yes, yes})[0], {}, {false});
  EXPECT_EQ(registry().find("Xor", 2), nullptr);
}

}  // namespace
}  // namespace wasmvino::test::logical_xor_test
