// SPDX-License-Identifier: Apache-2.0
#include "../op_tester.h"

namespace wasmvino::test::divide_test {
namespace {

Tensor divide(const Tensor& a, const Tensor& b, const char* python = "true") {
  return run_op("Divide", 1, {{"m_pythondiv", python}}, {a, b})[0];
}

TEST(Divide, RoundsIntegersDownOrTowardsZero) {
  const Tensor a = Tensor::of<int32_t>({6}, {7, -7, 7, -7, 6, -6});
  const Tensor b = Tensor::of<int32_t>({6}, {2, 2, -2, -2, -3, 3});
  expect_tensor<int32_t>(divide(a, b), {6}, {3, -4, -4, 3, -2, -2});
  expect_tensor<int32_t>(divide(a, b, "false"), {6}, {3, -3, -3, 3, -2, -2});
  expect_tensor<int32_t>(run_op("Divide", 1, {}, {a, b})[0], {6}, {3, -4, -4, 3, -2, -2});
}

TEST(Divide, TakesAllWidths) {
  expect_tensor<int64_t>(divide(Tensor::scalar<int64_t>(-(1ll << 40) - 1), Tensor::scalar<int64_t>(2)), {},
                         {-(1ll << 39) - 1});
  expect_tensor<int8_t>(divide(Tensor::scalar<int8_t>(-7), Tensor::scalar<int8_t>(2)), {}, {-4});
  expect_tensor<uint8_t>(divide(Tensor::scalar<uint8_t>(250), Tensor::scalar<uint8_t>(3)), {}, {83});
  expect_tensor<uint32_t>(divide(Tensor::scalar<uint32_t>(4000000000u), Tensor::scalar<uint32_t>(3)), {},
                          {1333333333});
  expect_tensor<uint64_t>(divide(Tensor::scalar<uint64_t>(~0ull), Tensor::scalar<uint64_t>(2)), {},
                          {~0ull / 2});
  expect_tensor<double>(divide(Tensor::scalar(1.0), Tensor::scalar(4.0)), {}, {0.25});
}

TEST(Divide, IntegersNeverTrap) {
  const int32_t lowest = -2147483647 - 1;
  expect_tensor<int32_t>(divide(Tensor::scalar(lowest), Tensor::scalar<int32_t>(-1)), {}, {lowest});
  expect_tensor<int8_t>(divide(Tensor::scalar<int8_t>(-128), Tensor::scalar<int8_t>(-1)), {}, {127});
  for (const char* python : {"true", "false"}) {
    expect_error(ErrorCode::kInvalidValue, "integer division by zero",
                 [&] { divide(Tensor::scalar<int32_t>(5), Tensor::scalar<int32_t>(0), python); });
    expect_error(ErrorCode::kInvalidValue, "integer division by zero",
                 [&] { divide(Tensor::scalar<uint8_t>(5), Tensor::scalar<uint8_t>(0), python); });
  }
}

TEST(Divide, RealsFollowIeee) {
  const float inf = INFINITY;
  expect_near(divide(Tensor::of<float>({4}, {1, -1, 0, -7}), Tensor::of<float>({4}, {0, 0, 0, 2})), {4},
              {inf, -inf, NAN, -3.5f});
}

}  // namespace
}  // namespace wasmvino::test::divide_test
