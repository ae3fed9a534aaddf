// SPDX-License-Identifier: Apache-2.0
#include "../op_tester.h"

namespace wasmvino::test::not_equal_test {
namespace {

template <typename T>
Tensor compute(const std::vector<T>& a, const std::vector<T>& b) {
  const Shape shape = {static_cast<int64_t>(a.size())};
  return run_op("NotEqual", 1, {}, {Tensor::of<T>(shape, a.data()), Tensor::of<T>(shape, b.data())})[0];
}

TEST(NotEqual, ComparesNumbersOfAllTypes) {
  expect_tensor<bool>(compute<float>({1, 2, 3}, {2, 2, 2}), {3}, {true, false, true});
  expect_tensor<bool>(compute<double>({1, 2, 3}, {2, 2, 2}), {3}, {true, false, true});
  expect_tensor<bool>(compute<int8_t>({-1, 2, 3}, {2, 2, -2}), {3}, {true, false, true});
  expect_tensor<bool>(compute<uint8_t>({255, 2, 3}, {2, 2, 200}), {3}, {true, false, true});
  expect_tensor<bool>(compute<int32_t>({-1, 2, 3}, {2, 2, -2}), {3}, {true, false, true});
  expect_tensor<bool>(compute<int64_t>({-1, 1ll << 40, 3}, {1, 1, -2}), {3}, {true, true, true});
  expect_tensor<bool>(compute<uint32_t>({4000000000u, 2, 3}, {2, 2, 4000000000u}), {3}, {true, false, true});
  expect_tensor<bool>(compute<uint64_t>({~0ull, 2, 3}, {2, 2, ~0ull}), {3}, {true, false, true});
}

TEST(NotEqual, ComparesBooleans) {
  const Tensor a = Tensor::of<bool>({2, 1}, {false, true});
  const Tensor b = Tensor::of<bool>({2}, {false, true});
  expect_tensor<bool>(run_op("NotEqual", 1, {}, {a, b})[0], {2, 2}, {false, true, true, false});
}

TEST(NotEqual, FollowsIeeeForNanAndZeros) {
  expect_tensor<bool>(compute<float>({NAN, 1, NAN, 0.0f, INFINITY}, {1, NAN, NAN, -0.0f, INFINITY}), {5},
                      {true, true, true, false, false});
}

TEST(NotEqual, RefusesTypesThatDiffer) {
  expect_error(ErrorCode::kInvalidType, "input 1 has element type i64, input 0 has f32",
               [] { run_op("NotEqual", 1, {}, {Tensor::scalar(1.0f), Tensor::scalar<int64_t>(1)}); });
}

}  // namespace
}  // namespace wasmvino::test::not_equal_test
