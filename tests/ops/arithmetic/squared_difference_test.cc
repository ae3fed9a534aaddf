// SPDX-License-Identifier: Apache-2.0
#include "../op_tester.h"

namespace wasmvino::test::squared_difference_test {
namespace {

template <typename T>
Tensor compute(const std::vector<T>& a, const std::vector<T>& b) {
  const Shape shape = {static_cast<int64_t>(a.size())};
  return run_op("SquaredDifference", 1, {},
                {Tensor::of<T>(shape, a.data()), Tensor::of<T>(shape, b.data())})[0];
}

TEST(SquaredDifference, IsNeverNegativeBeforeItWraps) {
  expect_tensor<float>(compute<float>({1, 2.5f}, {3, 1}), {2}, {4, 2.25f});
  expect_tensor<int32_t>(compute<int32_t>({-5, 7}, {2, 7}), {2}, {49, 0});
  expect_tensor<uint8_t>(compute<uint8_t>({3, 200}, {9, 190}), {2}, {36, 100});
}

}  // namespace
}  // namespace wasmvino::test::squared_difference_test
