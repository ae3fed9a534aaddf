// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tests/ops/arrays.h"

namespace wasmvino::test::proposal_test {
namespace {

model::AttributeTexts attributes(const model::AttributeTexts& more = {}) {
  model::AttributeTexts all = more;
  all.insert(all.end(), {{"base_size", "16"},
                         {"feat_stride", "16"},
                         {"min_size", "4"},
                         {"ratio", "1"},
                         {"scale", "1"},
                         {"pre_nms_topn", "10"},
                         {"post_nms_topn", "3"},
                         {"nms_thresh", "0.5"}});
  return all;
}

// Two points beside each other; the second half of the scores is that of the objects.
const Tensor kScores = Tensor::of<float>({1, 2, 1, 2}, {.9f, .9f, .3f, .8f});
const Tensor kStill = Tensor::of<float>({1, 4, 1, 2}, {0, 0, 0, 0, 0, 0, 0, 0});
const Tensor kImage = Tensor::of<float>({3}, {20, 30, 1});

// An anchor of 16 pixels, from 0 to 15; that which is not moved ends at 16, as Caffe counts, within an image
// of 20 x 30.
TEST(Proposal, CountsPixels) {
  const auto got = run_op("Proposal", 4, attributes(), {kScores, kStill, kImage}, 2);
  expect_near(got[0], {3, 5}, {0, 16, 0, 29, 16, 0, 0, 0, 16, 16, -1, 0, 0, 0, 0});
  expect_near(got[1], {3}, {.8f, .3f, 0});
  expect_near(run_op("Proposal", 1, attributes({{"normalize", "true"}}), {kScores, kStill, kImage})[0],
              {3, 5}, {0, 16.f / 30, 0, 29.f / 30, .8f, 0, 0, 0, 16.f / 30, .8f, -1, 0, 0, 0, 0});
}

// Anchors are centered at the points and measured; height and width are exchanged.
TEST(Proposal, AsTensorFlow) {
  const auto got =
      run_op("Proposal", 4, attributes({{"framework", "tensorflow"}}), {kScores, kStill, kImage}, 2);
  expect_near(got[0], {3, 5}, {0, 0, 8, 8, 24, 0, 0, 0, 8, 8, -1, 0, 0, 0, 0});
}

TEST(Proposal, MovesAndScales) {
  const Tensor deltas =
      Tensor::of<float>({1, 4, 1, 2}, {.5f, 0, .25f, 0, std::log(.5f), 0, std::log(.25f), 0});
  const auto with = attributes({{"clip_before_nms", "false"}, {"box_coordinate_scale", "2"}});
  // Center 8 + 0.25 * 16, 8 + 0.125 * 16; size 8 x 4.
  expect_near(run_op("Proposal", 4, with, {kScores, deltas, kImage}, 2)[0], {3, 5},
              {0, 16, 0, 32, 16, 0, 8, 8, 16, 12, -1, 0, 0, 0, 0});
  // Too small a box has no score, but is not left out.
  const auto least =
      attributes({{"clip_before_nms", "false"}, {"box_coordinate_scale", "2"}, {"min_size", "6"}});
  expect_near(run_op("Proposal", 4, least, {kScores, deltas, kImage}, 2)[1], {3}, {.8f, 0, 0});
}

TEST(Proposal, LeavesOutWhatOverlaps) {
  // The second point's box is moved onto the first's.
  const Tensor deltas = Tensor::of<float>({1, 4, 1, 2}, {0, -1, 0, 0, 0, 0, 0, 0});
  const auto got = run_op("Proposal", 4, attributes(), {kScores, deltas, kImage}, 2);
  expect_near(got[0], {3, 5}, {0, 0, 0, 16, 16, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0});
}

TEST(Proposal, InfersAndRefuses) {
  EXPECT_EQ(infer_shape("Proposal", 1, attributes(),
                        {open(ElementType::kF32, {2, 2, 4, Dimension()}),
                         open(ElementType::kF32, {2, 4, 4, Dimension()}), open(ElementType::kF32, {3})}),
            "[6,5]");
  expect_error(ErrorCode::kInvalidShape, "axis 1 of bbox_deltas", [] {
    run_op("Proposal", 1, attributes({{"scale", "1, 2"}}),
           {Tensor(ElementType::kF32, {1, 4, 1, 2}), kStill, kImage});
  });
}

}  // namespace
}  // namespace wasmvino::test::proposal_test
