// SPDX-License-Identifier: Apache-2.0
#include "embedding_tester.h"

namespace wasmvino::test::embedding_bag_packed_test {
namespace {

TEST(EmbeddingBagPacked, TheSpecificationsExamples) {
  const Tensor indices = Tensor::of<int64_t>({3, 2}, {0, 2, 1, 2, 3, 4});
  const auto run = [](const std::vector<Tensor>& inputs, const char* reduction) {
    return run_op("EmbeddingBagPacked", 15, {{"reduction", reduction}}, inputs)[0];
  };
  expect_near(run({table(), indices}, "sum"), {3, 2}, {-2.1f, -2.4f, -2, -2.2f, -0.2f, 0.8f});
  expect_near(run({table(), indices}, "mean"), {3, 2}, {-1.05f, -1.2f, -1, -1.1f, -0.1f, 0.4f});
  expect_near(run({table(), indices, Tensor::of<float>({3, 2}, {0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f})}, "sum"),
              {3, 2}, {-1.05f, -1.2f, -1, -1.1f, -0.1f, 0.4f});
  expect_error(ErrorCode::kInvalidShape, "indices has shape [1], expected rank 2",
               [&] { run({table(), list({0})}, "sum"); });
  expect_error(ErrorCode::kInvalidModel, "'reduction' is 'max'", [&] { run({table(), indices}, "max"); });
}

}  // namespace
}  // namespace wasmvino::test::embedding_bag_packed_test
