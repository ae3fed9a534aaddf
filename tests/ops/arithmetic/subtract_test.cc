// SPDX-License-Identifier: Apache-2.0
#include "../op_tester.h"

namespace wasmvino::test::subtract_test {
namespace {

template <typename T>
Tensor compute(const std::vector<T>& a, const std::vector<T>& b) {
  const Shape shape = {static_cast<int64_t>(a.size())};
  return run_op("Subtract", 1, {}, {Tensor::of<T>(shape, a.data()), Tensor::of<T>(shape, b.data())})[0];
}

TEST(Subtract, KeepsTheOrderOfItsInputs) {
  expect_tensor<float>(compute<float>({1, 2.5f}, {3, 1}), {2}, {-2, 1.5f});
  expect_tensor<double>(compute<double>({1, 2.5}, {3, 1}), {2}, {-2, 1.5});
  expect_tensor<int16_t>(compute<int16_t>({-32768, 5}, {1, 7}), {2}, {32767, -2});
  expect_tensor<uint32_t>(compute<uint32_t>({3, 9}, {5, 4}), {2}, {4294967294u, 5});
}

}  // namespace
}  // namespace wasmvino::test::subtract_test
