// SPDX-License-Identifier: Apache-2.0
#include "embedding_tester.h"

namespace wasmvino::test::embedding_segments_sum_test {
namespace {

Tensor segments(const std::vector<Tensor>& inputs) {
  return run_op("EmbeddingSegmentsSum", 3, {}, inputs)[0];
}

TEST(EmbeddingSegmentsSum, TheSpecificationsExample) {
  expect_near(segments({table(), list({0, 2, 3, 4}), list({0, 0, 2, 2}), number(3), number(0),
                        weights({0.5f, 0.5f, 0.5f, 0.5f})}),
              {3, 2}, {-1.05f, -1.2f, -0.2f, -0.6f, -0.1f, 0.4f});
}

TEST(EmbeddingSegmentsSum, EmptySegments) {
  const std::vector<float> expected = {0, 0, -0.1f, -0.4f, 0, 0, 0, 0};
  expect_near(segments({table(), list({1}), list({1}), number(4)}), {4, 2}, expected);
  expect_near(segments({table(), list({1}), list({1}), number(4), number(-1)}), {4, 2}, expected);
}

TEST(EmbeddingSegmentsSum, Shapes) {
  using model::ValueInfo;
  const ValueInfo data{ElementType::kF32, {5, 2}, nullptr}, indices{ElementType::kI64, {4}, nullptr};
  const ValueInfo open{ElementType::kI64, PartialShape::of_rank(0), nullptr};
  EXPECT_EQ(to_string(infer_op("EmbeddingSegmentsSum", 3, {}, {data, indices, indices, open})[0].shape),
            "[?,2]");
}

TEST(EmbeddingSegmentsSum, Refuses) {
  expect_error(ErrorCode::kInvalidValue, "segment_ids[1] is 3, outside 0..2",
               [] { segments({table(), list({0, 1}), list({0, 3}), number(3)}); });
  expect_error(ErrorCode::kInvalidValue, "segment_ids[1] is 0, outside 1..2",
               [] { segments({table(), list({0, 1}), list({1, 0}), number(3)}); });
  expect_error(ErrorCode::kInvalidValue, "num_segments is -1",
               [] { segments({table(), list({0}), list({0}), number(-1)}); });
}

}  // namespace
}  // namespace wasmvino::test::embedding_segments_sum_test
