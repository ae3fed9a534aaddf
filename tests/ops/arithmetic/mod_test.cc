// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "../op_tester.h"

namespace wasmvino::test::mod_test {
namespace {

template <typename T>
Tensor compute(const std::vector<T>& a, const std::vector<T>& b) {
  const Shape shape = {static_cast<int64_t>(a.size())};
  return run_op("Mod", 1, {}, {Tensor::of<T>(shape, a.data()), Tensor::of<T>(shape, b.data())})[0];
}

TEST(Mod, HasTheSignOfTheDividend) {
  expect_tensor<int32_t>(compute<int32_t>({7, -7, 7, -7}, {3, 3, -3, -3}), {4}, {1, -1, 1, -1});
  expect_tensor<int8_t>(compute<int8_t>({7, -7, 7, -7}, {3, 3, -3, -3}), {4}, {1, -1, 1, -1});
  expect_tensor<float>(compute<float>({5.5f, -5.5f, 5.5f, -5.5f}, {2, 2, -2, -2}), {4},
                       {1.5f, -1.5f, 1.5f, -1.5f});
  expect_tensor<double>(compute<double>({5.5, -5.5}, {2, 2}), {2}, {1.5, -1.5});
  expect_tensor<uint64_t>(compute<uint64_t>({~0ull}, {10}), {1}, {5});
}

TEST(Mod, HasItsLimits) {
  expect_tensor<int64_t>(compute<int64_t>({std::numeric_limits<int64_t>::min()}, {-1}), {1}, {0});
  expect_error(ErrorCode::kInvalidValue, "integer division by zero", [] { compute<int32_t>({1}, {0}); });
  expect_near(compute<float>({1, 5, INFINITY}, {0, INFINITY, 2}), {3}, {NAN, 5, NAN});
}

}  // namespace
}  // namespace wasmvino::test::mod_test
