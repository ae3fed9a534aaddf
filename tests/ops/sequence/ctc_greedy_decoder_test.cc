// SPDX-License-Identifier: Apache-2.0
#include "core/float_types.h"
#include "tests/ops/op_tester.h"

namespace wasmvino::test::ctc_greedy_decoder_test {
namespace {

// Scores [T, N, C] that make classes[t][n] the best.
Tensor scores_for(const std::vector<std::vector<size_t>>& classes, size_t count) {
  const size_t batch = classes[0].size();
  Tensor scores(ElementType::kF32, {static_cast<int64_t>(classes.size()), static_cast<int64_t>(batch),
                                    static_cast<int64_t>(count)});
  for (size_t t = 0; t < classes.size(); ++t) {
    for (size_t i = 0; i < batch; ++i) {
      for (size_t c = 0; c < count; ++c) {
        scores.mutable_data<float>()[(t * batch + i) * count + c] =
            c == classes[t][i] ? 0.9f : 0.01f * static_cast<float>(c);
      }
    }
  }
  return scores;
}

Tensor decode(const Tensor& scores, const Tensor& mask, bool merge) {
  return run_op("CTCGreedyDecoder", 1, {{"ctc_merge_repeated", merge ? "true" : "false"}}, {scores, mask})[0];
}

TEST(CTCGreedyDecoder, BlanksAndRepetitions) {
  const Tensor scores = scores_for({{1, 3}, {1, 0}, {3, 0}, {1, 2}, {0, 2}}, 4);  // 3 is blank
  const Tensor all = Tensor::of<float>({5, 2}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
  expect_near(decode(scores, all, true), {2, 5, 1, 1}, {1, 1, 0, -1, -1, 0, 2, -1, -1, -1});
  expect_near(decode(scores, all, false), {2, 5, 1, 1}, {1, 1, 1, 0, -1, 0, 0, 2, 2, -1});
}

TEST(CTCGreedyDecoder, SequencesEndWhereTheMaskDoes) {
  const Tensor scores = scores_for({{1, 0}, {2, 1}, {0, 2}}, 4);
  expect_near(decode(scores, Tensor::of<float>({3, 2}, {1, 0, 1, 0, 0, 1}), true), {2, 3, 1, 1},
              {1, 2, -1, -1, -1, -1});
}

TEST(CTCGreedyDecoder, TheFirstOfEqualsWins) {
  const Tensor scores = Tensor::of<float>({1, 1, 3}, {0.5f, 0.5f, 0.5f});
  expect_near(decode(scores, Tensor::of<float>({1, 1}, {1}), true), {1, 1, 1, 1}, {0});
}

TEST(CTCGreedyDecoder, Half) {
  const Tensor scores = Tensor::of<Float16>({1, 1, 2}, {Float16(1.0f), Float16(0.0f)});
  const Tensor got = decode(scores, Tensor::of<Float16>({1, 1}, {Float16(1.0f)}), true);
  EXPECT_EQ(f16_to_f32(got.data<uint16_t>()[0]), 0.0f);
}

TEST(CTCGreedyDecoder, Refuses) {
  const Tensor scores(ElementType::kF32, {3, 2, 4});
  expect_error(ErrorCode::kInvalidShape, "axis 0 of sequence_mask [2,2] is 2, axis 0 of data is 3",
               [&] { decode(scores, Tensor(ElementType::kF32, {2, 2}), true); });
  expect_error(ErrorCode::kInvalidShape, "data has shape [3,2], expected rank 3",
               [] { decode(Tensor(ElementType::kF32, {3, 2}), Tensor(ElementType::kF32, {3, 2}), true); });
  expect_error(ErrorCode::kInvalidType, "sequence_mask has element type i32",
               [&] { decode(scores, Tensor(ElementType::kI32, {3, 2}), true); });
}

}  // namespace
}  // namespace wasmvino::test::ctc_greedy_decoder_test
