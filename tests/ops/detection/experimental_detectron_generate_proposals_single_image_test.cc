// SPDX-License-Identifier: Apache-2.0
// Values are OpenVINO's.
#include "tests/ops/arrays.h"

namespace wasmvino::test::experimental_detectron_generate_proposals_single_image_test {
namespace {

const Tensor kImage = Tensor::of<float>({3}, {20, 30, 1});
const Tensor kAnchors = Tensor::of<float>({4, 4}, {0, 0, 9, 9, 5, 5, 24, 14, 10, 0, 19, 9, 15, 5, 34, 14});
const Tensor kDeltas = Tensor::of<float>({8, 1, 2}, {.5f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, .3f, 0, 0});
const Tensor kScores = Tensor::of<float>({2, 1, 2}, {.9f, .8f, .7f, .95f});

std::vector<Tensor> propose(const std::string& min_size, const std::string& threshold) {
  return run_op("ExperimentalDetectronGenerateProposalsSingleImage", 6,
                {{"min_size", min_size},
                 {"nms_threshold", threshold},
                 {"pre_nms_count", "10"},
                 {"post_nms_count", "5"}},
                {kImage, kAnchors, kDeltas, kScores}, 2);
}

TEST(ExperimentalDetectronGenerateProposalsSingleImage, ChoosesTheBest) {
  const auto got = propose("1", "0.2");
  expect_near(got[0], {5, 4}, {11.50141f, 5, 29, 14, 5, 0, 14, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  expect_near(got[1], {5}, {.95f, .9f, 0, 0, 0});
}

// What is too small keeps its box, but not its score.
TEST(ExperimentalDetectronGenerateProposalsSingleImage, SmallBoxes) {
  const auto got = propose("15", "1");
  expect_near(got[1], {5}, {0, 0, 0, 0, 0});
  expect_near(got[0], {5, 4}, {11.50141f, 5, 29, 14, 5, 0, 14, 9, 10, 0, 19, 9, 5, 5, 24, 14, 0, 0, 0, 0});
}

TEST(ExperimentalDetectronGenerateProposalsSingleImage, Refuses) {
  expect_error(ErrorCode::kInvalidShape, "axis 0 of anchors [3,4] is 3", [] {
    run_op("ExperimentalDetectronGenerateProposalsSingleImage", 6, {},
           {kImage, Tensor(ElementType::kF32, {3, 4}), kDeltas, kScores}, 2);
  });
}

}  // namespace
}  // namespace wasmvino::test::experimental_detectron_generate_proposals_single_image_test
