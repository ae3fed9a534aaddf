// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/arrays.h"

namespace wasmvino::test::experimental_detectron_topk_rois_test {
namespace {

TEST(ExperimentalDetectronTopKROIs, ChoosesTheBest) {
  const Tensor rois = iota({3, 4}), probabilities = Tensor::of<float>({3}, {.2f, .9f, .2f});
  const auto top = [&](const std::string& count) {
    return text_of(
        run_op("ExperimentalDetectronTopKROIs", 6, {{"max_rois", count}}, {rois, probabilities})[0]);
  };
  EXPECT_EQ(top("1"), "[1,4] 4 5 6 7");
  EXPECT_EQ(top("2"), "[2,4] 4 5 6 7 0 1 2 3");
  EXPECT_EQ(top("4"), "[4,4] 4 5 6 7 0 1 2 3 8 9 10 11 0 0 0 0");
}

TEST(ExperimentalDetectronTopKROIs, Refuses) {
  expect_error(ErrorCode::kInvalidShape, "axis 0 of input_probs [2] is 2", [] {
    run_op("ExperimentalDetectronTopKROIs", 6, {{"max_rois", "1"}}, {iota({3, 4}), iota({2})});
  });
}

}  // namespace
}  // namespace wasmvino::test::experimental_detectron_topk_rois_test
