// SPDX-License-Identifier: Apache-2.0
#include "../op_tester.h"

namespace wasmvino::test::multiply_test {
namespace {

template <typename T>
Tensor compute(const std::vector<T>& a, const std::vector<T>& b) {
  const Shape shape = {static_cast<int64_t>(a.size())};
  return run_op("Multiply", 1, {}, {Tensor::of<T>(shape, a.data()), Tensor::of<T>(shape, b.data())})[0];
}

TEST(Multiply, TakesAllNumericTypes) {
  expect_tensor<float>(compute<float>({1.5f, -2}, {3, 0.25f}), {2}, {4.5f, -0.5f});
  expect_tensor<double>(compute<double>({1.5, -2}, {3, 0.25}), {2}, {4.5, -0.5});
  expect_tensor<int64_t>(compute<int64_t>({1ll << 33, -3}, {5, 7}), {2}, {5ll << 33, -21});
  expect_tensor<int8_t>(compute<int8_t>({100, -3, -100}, {3, 7, 100}), {3}, {127, -21, -128});
  expect_tensor<uint16_t>(compute<uint16_t>({65535, 300}, {65535, 300}), {2}, {1, 24464});
}

}  // namespace
}  // namespace wasmvino::test::multiply_test
