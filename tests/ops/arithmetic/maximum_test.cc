// SPDX-License-Identifier: Apache-2.0
#include "../op_tester.h"

namespace wasmvino::test::maximum_test {
namespace {

template <typename T>
Tensor compute(const std::vector<T>& a, const std::vector<T>& b) {
  const Shape shape = {static_cast<int64_t>(a.size())};
  return run_op("Maximum", 1, {}, {Tensor::of<T>(shape, a.data()), Tensor::of<T>(shape, b.data())})[0];
}

TEST(Maximum, MindsSigns) {
  expect_tensor<float>(compute<float>({1, -2}, {-3, 0.5f}), {2}, {1, 0.5f});
  expect_tensor<double>(compute<double>({1, -2}, {-3, 0.5}), {2}, {1, 0.5});
  expect_tensor<int8_t>(compute<int8_t>({-1, 5}, {1, -6}), {2}, {1, 5});
  expect_tensor<uint8_t>(compute<uint8_t>({255, 5}, {1, 6}), {2}, {255, 6});
  expect_tensor<uint32_t>(compute<uint32_t>({4000000000u}, {1}), {1}, {4000000000u});
  expect_tensor<uint64_t>(compute<uint64_t>({~0ull}, {1}), {1}, {~0ull});
  expect_tensor<int64_t>(compute<int64_t>({-1}, {1}), {1}, {1});
}

TEST(Maximum, OfNanIsNan) {
  expect_near(compute<float>({NAN, 1, NAN, 1, 2}, {1, NAN, NAN, 1, 2}), {5}, {NAN, NAN, NAN, 1, 2});
  EXPECT_TRUE(std::isnan(compute<double>({NAN}, {1}).data<double>()[0]));
  EXPECT_TRUE(std::isnan(compute<double>({1}, {NAN}).data<double>()[0]));
}

}  // namespace
}  // namespace wasmvino::test::maximum_test
