// SPDX-License-Identifier: Apache-2.0
#include "../elementwise/function_tester.h"

namespace wasmvino::test::clamp_test {
namespace {

const Function kFunction = {"Clamp", 1, {{"min", "-1.5"}, {"max", "0.75"}}};

TEST(Clamp, ComputesReals) {
  expect_function(kFunction, {-2.5, -1.0, -0.75, -0.5, 0.0, 0.25, 0.5, 1.0, 3.0},
                  {-1.5, -1.0, -0.75, -0.5, 0.0, 0.25, 0.5, 0.75, 0.75});
}

TEST(Clamp, HasItsLimits) { expect_function(kFunction, {NAN, INFINITY, -INFINITY}, {NAN, 0.75, -1.5}); }

TEST(Clamp, RoundsTheLimitsOfIntegersInwards) {
  const auto clamp = [](const Tensor& x, const char* low, const char* high) {
    return run_op("Clamp", 1, {{"min", low}, {"max", high}}, {x})[0];
  };
  const Tensor x = Tensor::of<int32_t>({5}, {-5, -1, 0, 2, 9});
  expect_tensor<int32_t>(clamp(x, "-1.7", "2.6"), {5}, {-1, -1, 0, 2, 2});
  expect_tensor<int32_t>(clamp(x, "-1e30", "inf"), {5}, {-5, -1, 0, 2, 9});
  expect_tensor<uint8_t>(clamp(Tensor::of<uint8_t>({3}, {0, 5, 255}), "-3", "300"), {3}, {0, 5, 255});
  expect_tensor<uint32_t>(clamp(Tensor::of<uint32_t>({2}, {1, 4000000000u}), "2", "3e9"), {2},
                          {2, 3000000000u});
  expect_tensor<uint64_t>(clamp(Tensor::of<uint64_t>({2}, {1, ~0ull}), "2", "1e30"), {2}, {2, ~0ull});
  expect_tensor<int64_t>(clamp(Tensor::of<int64_t>({2}, {-9, 1ll << 62}), "-4", "1e30"), {2},
                         {-4, 1ll << 62});
}

TEST(Clamp, RefusesLimitsThatCross) {
  expect_error(ErrorCode::kInvalidModel, "attribute 'min' is 2, expected at most 'max', which is 1",
               [] { run_op("Clamp", 1, {{"min", "2"}, {"max", "1"}}, {Tensor::scalar(1.0f)}); });
}

}  // namespace
}  // namespace wasmvino::test::clamp_test
