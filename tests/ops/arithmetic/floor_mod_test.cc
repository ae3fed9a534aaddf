// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "../op_tester.h"

namespace wasmvino::test::floor_mod_test {
namespace {

template <typename T>
Tensor compute(const std::vector<T>& a, const std::vector<T>& b) {
  const Shape shape = {static_cast<int64_t>(a.size())};
  return run_op("FloorMod", 1, {}, {Tensor::of<T>(shape, a.data()), Tensor::of<T>(shape, b.data())})[0];
}

TEST(FloorMod, HasTheSignOfTheDivisor) {
  expect_tensor<int32_t>(compute<int32_t>({7, -7, 7, -7, 6}, {3, 3, -3, -3, -3}), {5}, {1, 2, -2, -1, 0});
  expect_tensor<int16_t>(compute<int16_t>({7, -7, 7, -7}, {3, 3, -3, -3}), {4}, {1, 2, -2, -1});
  expect_tensor<float>(compute<float>({5.5f, -5.5f, 5.5f, -5.5f}, {2, 2, -2, -2}), {4},
                       {1.5f, 0.5f, -0.5f, -1.5f});
  expect_tensor<double>(compute<double>({-5.5}, {2}), {1}, {0.5});
  expect_tensor<uint8_t>(compute<uint8_t>({250}, {7}), {1}, {5});
}

TEST(FloorMod, HasItsLimits) {
  expect_tensor<int64_t>(compute<int64_t>({std::numeric_limits<int64_t>::min()}, {-1}), {1}, {0});
  expect_error(ErrorCode::kInvalidValue, "integer division by zero", [] { compute<int64_t>({1}, {0}); });
  // As numpy.mod.
  expect_near(compute<float>({1, 5, -5}, {0, INFINITY, INFINITY}), {3}, {NAN, 5, INFINITY});
  EXPECT_TRUE(std::signbit(compute<float>({4}, {-2}).data<float>()[0]));
}

}  // namespace
}  // namespace wasmvino::test::floor_mod_test
