// SPDX-License-Identifier: Apache-2.0
// Values are OpenVINO's.
#include "tests/ops/arrays.h"

namespace wasmvino::test::generate_proposals_test {
namespace {

const Tensor kImage = Tensor::of<float>({1, 3}, {20, 30, 1});
const Tensor kAnchors =
    Tensor::of<float>({1, 2, 2, 4}, {0, 0, 9, 9, 5, 5, 24, 14, 10, 0, 19, 9, 15, 5, 34, 14});
const Tensor kDeltas = Tensor::of<float>({1, 8, 1, 2}, {.5f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, .3f, 0, 0});
const Tensor kScores = Tensor::of<float>({1, 2, 1, 2}, {.9f, .8f, .7f, .95f});

model::AttributeTexts attributes(const model::AttributeTexts& more = {}) {
  model::AttributeTexts all = more;
  all.insert(all.end(),
             {{"min_size", "1"}, {"nms_threshold", "0.2"}, {"pre_nms_count", "10"}, {"post_nms_count", "3"}});
  return all;
}

TEST(GenerateProposals, Coordinates) {
  const auto got = run_op("GenerateProposals", 9, attributes({{"roi_num_type", "i32"}}),
                          {kImage, kAnchors, kDeltas, kScores}, 3);
  expect_near(got[0], {2, 4}, {11.67634f, 5, 30, 14, 4.5f, 0, 13.5f, 9});
  expect_near(got[1], {2}, {.95f, .9f});
  expect_tensor<int32_t>(got[2], {1}, {2});
  const auto pixels = run_op("GenerateProposals", 9, attributes({{"normalized", "false"}}),
                             {kImage, kAnchors, kDeltas, kScores}, 3);
  expect_near(pixels[0], {2, 4}, {11.50141f, 5, 29, 14, 5, 0, 14, 9});
}

TEST(GenerateProposals, Limits) {
  const auto scores = [&](const model::AttributeTexts& more) {
    return text_of(
        run_op("GenerateProposals", 9, attributes(more), {kImage, kAnchors, kDeltas, kScores}, 3)[2]);
  };
  EXPECT_EQ(scores({{"nms_threshold", "1"}}), "[1] 3");
  EXPECT_EQ(scores({{"nms_threshold", "1"}, {"pre_nms_count", "2"}}), "[1] 2");
  // Boxes that are too small are left out.
  EXPECT_EQ(scores({{"nms_threshold", "1"}, {"post_nms_count", "9"}}), "[1] 4");
  EXPECT_EQ(scores({{"nms_threshold", "1"}, {"post_nms_count", "9"}, {"min_size", "9.5"}}), "[1] 0");
}

TEST(GenerateProposals, InfersAndRefuses) {
  const auto inferred =
      infer_op("GenerateProposals", 9, attributes(),
               {open(ElementType::kF32, {Dimension(), 4}), open(ElementType::kF32, {2, 3, 5, 4}),
                open(ElementType::kF32, {2, 20, 2, 3}), open(ElementType::kF32, {2, 5, 2, 3})},
               3);
  EXPECT_EQ(to_string(inferred[0].shape), "[..6,4]");
  EXPECT_EQ(to_string(inferred[1].shape), "[..6]");
  EXPECT_EQ(to_string(inferred[2].shape), "[2]");
  expect_error(ErrorCode::kUnsupported, "'nms_eta' is 0.5", [] {
    run_op("GenerateProposals", 9, attributes({{"nms_eta", "0.5"}}), {kImage, kAnchors, kDeltas, kScores}, 3);
  });
  expect_error(ErrorCode::kInvalidShape, "axis 1 of boxesdeltas", [] {
    run_op("GenerateProposals", 9, attributes(),
           {kImage, kAnchors, Tensor(ElementType::kF32, {1, 4, 1, 2}), kScores}, 3);
  });
}

}  // namespace
}  // namespace wasmvino::test::generate_proposals_test
