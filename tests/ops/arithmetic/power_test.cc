// SPDX-License-Identifier: Apache-2.0
#include "../op_tester.h"

namespace wasmvino::test::power_test {
namespace {

template <typename T>
Tensor compute(const std::vector<T>& a, const std::vector<T>& b) {
  const Shape shape = {static_cast<int64_t>(a.size())};
  return run_op("Power", 1, {}, {Tensor::of<T>(shape, a.data()), Tensor::of<T>(shape, b.data())})[0];
}

TEST(Power, OfRealsFollowsIeee) {
  expect_near(compute<float>({-2, -2, 0, 0, 4, 9, 2, -8}, {2, 3, 0, 2, 0.5f, -0.5f, -1, 0.5f}), {8},
              {4, -8, 1, 0, 2, 1.0f / 3, 0.5f, NAN});
  expect_tensor<double>(compute<double>({2, 10}, {-1, 3}), {2}, {0.5, 1000});
}

TEST(Power, OfIntegersIsExactAndWraps) {
  expect_tensor<int64_t>(compute<int64_t>({3, -3, 2, 0}, {39, 3, 62, 0}), {4},
                         {4052555153018976267, -27, 1ll << 62, 1});
  expect_tensor<int32_t>(compute<int32_t>({65536, 65537, -2}, {2, 2, 31}), {3}, {0, 131073, -2147483647 - 1});
  expect_tensor<uint8_t>(compute<uint8_t>({3, 2}, {5, 9}), {2}, {243, 255});
}

TEST(Power, OfIntegersTruncatesNegativeExponents) {
  expect_tensor<int32_t>(compute<int32_t>({2, 1, -1, -1, -5}, {-1, -7, -3, -4, -1}), {5}, {0, 1, -1, 1, 0});
}

}  // namespace
}  // namespace wasmvino::test::power_test
