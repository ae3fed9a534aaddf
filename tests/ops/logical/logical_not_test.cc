// SPDX-License-Identifier: Apache-2.0
#include "../op_tester.h"

namespace wasmvino::test::logical_not_test {
namespace {

TEST(LogicalNot, Negates) {
  expect_tensor<bool>(run_op("LogicalNot", 1, {}, {Tensor::of<bool>({2}, {false, true})})[0], {2},
                      {true, false});
  uint8_t bytes[] = {2, 0};
  expect_tensor<bool>(run_op("LogicalNot", 1, {}, {Tensor(ElementType::kBoolean, {2}, bytes)})[0], {2},
                      {false, true});
}

TEST(LogicalNot, OfNumbersIsWhetherTheyAreZero) {
  expect_tensor<int32_t>(run_op("LogicalNot", 1, {}, {Tensor::of<int32_t>({3}, {0, 1, -5})})[0], {3},
                         {1, 0, 0});
  expect_tensor<float>(run_op("LogicalNot", 1, {}, {Tensor::of<float>({3}, {0, 0.3f, NAN})})[0], {3},
                       {1, 0, 0});
  expect_tensor<uint8_t>(run_op("LogicalNot", 1, {}, {Tensor::of<uint8_t>({2}, {0, 200})})[0], {2}, {1, 0});
}

}  // namespace
}  // namespace wasmvino::test::logical_not_test
