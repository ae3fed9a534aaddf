// SPDX-License-Identifier: Apache-2.0
#include "embedding_tester.h"

namespace wasmvino::test::embedding_bag_offsets_sum_test {
namespace {

TEST(EmbeddingBagOffsetsSum, SumsAndDefaults) {
  const auto run = [](const std::vector<Tensor>& inputs) {
    return run_op("EmbeddingBagOffsetsSum", 3, {}, inputs)[0];
  };
  expect_near(
      run({table(), list({0, 2, 3, 4}), list({0, 2, 2}), number(0), weights({0.5f, 0.5f, 0.5f, 0.5f})}),
      {3, 2}, {-1.05f, -1.2f, -0.2f, -0.6f, -0.1f, 0.4f});
  // Indices before the first offset belong to no bag.
  expect_near(run({table(), list({0, 2, 3}), list({1})}), {1, 2}, {-2.9f, -0.3f});
  expect_near(run({table(), list({}), list({0, 0})}), {2, 2}, {0, 0, 0, 0});
}

}  // namespace
}  // namespace wasmvino::test::embedding_bag_offsets_sum_test
