// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/domain_tester.h"

namespace wasmvino::test::bit_cast_test {
namespace {

Tensor cast(const Tensor& data, const char* to) {
  return run_domain_op("ai.onnx", "BitCast", {{"to", to}}, {data});
}

// IEEE 754.
TEST(BitCast, KeepsTheBytes) {
  expect_tensor<int32_t>(cast(Tensor::of<float>({2}, {1, -2}), "i32"), {2}, {0x3f800000, -0x40000000});
  expect_tensor<double>(cast(Tensor::of<int64_t>({1, 1}, {0x3ff0000000000000}), "f64"), {1, 1}, {1});
  expect_tensor<uint8_t>(cast(Tensor::of<int8_t>({2}, {-1, 3}), "u8"), {2}, {255, 3});
  EXPECT_EQ(cast(Tensor(ElementType::kF32, {0}), "i32").size(), 0u);
}

TEST(BitCast, RefusesAnotherWidth) {
  expect_error(ErrorCode::kInvalidType, "casts the bits of f32 (32 bits) to i64 (64 bits)",
               [] { cast(Tensor::of<float>({1}, {1}), "i64"); });
  expect_error(ErrorCode::kInvalidModel, "attribute 'to' is string, expected a numeric type",
               [] { cast(Tensor::of<float>({1}, {1}), "string"); });
}

}  // namespace
}  // namespace wasmvino::test::bit_cast_test
