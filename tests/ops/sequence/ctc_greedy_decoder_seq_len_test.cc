// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_tester.h"

namespace wasmvino::test::ctc_greedy_decoder_seq_len_test {
namespace {

// Scores [N, T, C] that make classes[n][t] the best.
Tensor scores_for(const std::vector<std::vector<size_t>>& classes, size_t count) {
  const size_t steps = classes[0].size();
  Tensor scores(ElementType::kF32, {static_cast<int64_t>(classes.size()), static_cast<int64_t>(steps),
                                    static_cast<int64_t>(count)});
  for (size_t i = 0; i < classes.size(); ++i) {
    for (size_t t = 0; t < steps; ++t) {
      for (size_t c = 0; c < count; ++c) {
        scores.mutable_data<float>()[(i * steps + t) * count + c] = c == classes[i][t] ? 2.0f : -1.0f;
      }
    }
  }
  return scores;
}

TEST(CTCGreedyDecoderSeqLen, BlankIsTheLastClassUnlessSaid) {
  const Tensor scores = scores_for({{1, 1, 3, 1, 0}, {3, 0, 0, 2, 2}}, 4);
  const Tensor lengths = Tensor::of<int32_t>({2}, {5, 4});
  const auto merged = run_op("CTCGreedyDecoderSeqLen", 6, {}, {scores, lengths}, 2);
  expect_tensor<int32_t>(merged[0], {2, 5}, {1, 1, 0, -1, -1, 0, 2, -1, -1, -1});
  expect_tensor<int32_t>(merged[1], {2}, {3, 2});
  const auto blank =
      run_op("CTCGreedyDecoderSeqLen", 6, {}, {scores, lengths, Tensor::of<int32_t>({1}, {0})}, 2);
  expect_tensor<int32_t>(blank[0], {2, 5}, {1, 3, 1, -1, -1, 3, 2, -1, -1, -1});
  expect_tensor<int32_t>(blank[1], {2}, {3, 2});
}

TEST(CTCGreedyDecoderSeqLen, RepetitionsMayStay) {
  const auto got =
      run_op("CTCGreedyDecoderSeqLen", 6,
             {{"merge_repeated", "false"}, {"classes_index_type", "i64"}, {"sequence_length_type", "i64"}},
             {scores_for({{0, 1, 1, 2, 1, 2}}, 3), Tensor::of<int64_t>({1}, {6})}, 2);
  expect_tensor<int64_t>(got[0], {1, 6}, {0, 1, 1, 1, -1, -1});
  expect_tensor<int64_t>(got[1], {1}, {4});
}

TEST(CTCGreedyDecoderSeqLen, Refuses) {
  const Tensor scores = scores_for({{0, 1}}, 3);
  expect_error(ErrorCode::kInvalidValue, "sequence_length[0] is 3, outside 0..2",
               [&] { run_op("CTCGreedyDecoderSeqLen", 6, {}, {scores, Tensor::of<int32_t>({1}, {3})}, 2); });
  expect_error(ErrorCode::kInvalidShape, "axis 0 of sequence_length [2] is 2, axis 0 of data is 1", [&] {
    run_op("CTCGreedyDecoderSeqLen", 6, {}, {scores, Tensor::of<int32_t>({2}, {1, 1})}, 2);
  });
  expect_error(ErrorCode::kInvalidModel, "is u8, expected i32 or i64", [&] {
    run_op("CTCGreedyDecoderSeqLen", 6, {{"classes_index_type", "u8"}},
           {scores, Tensor::of<int32_t>({1}, {1})}, 2);
  });
}

}  // namespace
}  // namespace wasmvino::test::ctc_greedy_decoder_seq_len_test
