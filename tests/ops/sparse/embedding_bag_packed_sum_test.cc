// SPDX-License-Identifier: Apache-2.0
#include "embedding_tester.h"

namespace wasmvino::test::embedding_bag_packed_sum_test {
namespace {

TEST(EmbeddingBagPackedSum, SumsAndEmptyBags) {
  const auto run = [](const std::vector<Tensor>& inputs) {
    return run_op("EmbeddingBagPackedSum", 3, {}, inputs)[0];
  };
  expect_near(run({table(), Tensor::of<int32_t>({1, 3}, {4, 4, 0})}), {1, 2}, {1.4f, -2});
  expect_near(run({table(), Tensor::of<int32_t>({2, 1}, {4, 0}), Tensor::of<float>({2, 1}, {2, 3})}), {2, 2},
              {1.6f, -1.4f, -0.6f, -1.8f});
  expect_near(run({table(), Tensor(ElementType::kI32, {2, 0})}), {2, 2}, {0, 0, 0, 0});
}

}  // namespace
}  // namespace wasmvino::test::embedding_bag_packed_sum_test
