// SPDX-License-Identifier: Apache-2.0
// Values are OpenVINO's.
#include "tests/ops/arrays.h"

namespace wasmvino::test::detection_output_test {
namespace {

const Tensor kPriors = Tensor::of<float>(
    {1, 2, 16}, {.1f, .1f, .3f, .3f, .12f, .1f, .32f, .3f, .5f, .5f, .9f, .9f, 0,   .6f, .4f, 1,
                 .1f, .1f, .2f, .2f, .1f,  .1f, .2f,  .2f, .1f, .1f, .2f, .2f, .1f, .1f, .2f, .2f});
const Tensor kBoxes =
    Tensor::of<float>({1, 16}, {.5f, -.5f, .1f, .2f, 0, 0, 0, 0, -1, 1, .5f, -.5f, .2f, .1f, -.3f, 0});
const Tensor kScores =
    Tensor::of<float>({1, 12}, {.1f, .7f, .2f, .2f, .6f, .2f, .05f, .15f, .8f, .3f, .3f, .4f});

model::AttributeTexts attributes(const model::AttributeTexts& more = {}) {
  model::AttributeTexts all = more;
  // The first of a name counts.
  all.insert(all.end(), {{"code_type", "caffe.PriorBoxParameter.CENTER_SIZE"},
                         {"keep_top_k", "4"},
                         {"nms_threshold", "0.45"},
                         {"confidence_threshold", "0.2"},
                         {"normalized", "true"}});
  return all;
}

TEST(DetectionOutput, CenterSize) {
  const std::vector<float> expected = {0, 1, 0.7f, 0.1079799f,  0.0859189f, 0.3120202f, 0.2940811f,
                                       0, 1, 0.3f, 0.01964709f, 0.604f,     0.3963529f, 1.004f,
                                       0, 2, 0.8f, 0.4389658f,  0.5590326f, 0.8810341f, 0.9209675f,
                                       0, 2, 0.4f, 0.01964709f, 0.604f,     0.3963529f, 1.004f};
  expect_near(run_op("DetectionOutput", 8, attributes(), {kBoxes, kScores, kPriors})[0], {1, 1, 4, 7},
              expected);
  const auto named = attributes({{"num_classes", "3"}});
  expect_near(run_op("DetectionOutput", 1, named, {kBoxes, kScores, kPriors})[0], {1, 1, 4, 7}, expected);
}

TEST(DetectionOutput, CornersAndClipping) {
  const auto with = attributes(
      {{"code_type", "caffe.PriorBoxParameter.CORNER"}, {"clip_after_nms", "true"}, {"top_k", "2"}});
  expect_near(run_op("DetectionOutput", 8, with, {kBoxes, kScores, kPriors})[0], {1, 1, 4, 7},
              {0, 1, .7f, .15f, .05f, .32f, .34f, 0,  2, .8f, .4f, .6f, 1, .8f,
               0, 2, .4f, .02f, .61f, .34f, 1,    -1, 0, 0,   0,   0,   0, 0});
}

TEST(DetectionOutput, BestClassOfEachPrior) {
  expect_near(run_op("DetectionOutput", 8, attributes({{"decrease_label_id", "true"}}),
                     {kBoxes, kScores, kPriors})[0],
              {1, 1, 4, 7}, {0,  0, .7f, 0.1079799f,  0.0859189f, 0.3120202f, 0.2940811f,
                             0,  1, .8f, 0.4389658f,  0.5590326f, 0.8810341f, 0.9209675f,
                             0,  1, .4f, 0.01964709f, .604f,      0.3963529f, 1.004f,
                             -1, 0, 0,   0,           0,          0,          0});
}

// Priors refined by the predictions of a first stage, those without an object left to the background.
TEST(DetectionOutput, RefinedPriors) {
  const Tensor objects = Tensor::of<float>({1, 8}, {0, 1, 0, 0, 0, 1, 0, 0});
  const Tensor still(ElementType::kF32, {1, 16});
  std::fill_n(const_cast<float*>(still.data<float>()), 16, 0.0f);
  const auto with = attributes({{"objectness_score", "0.5"}});
  expect_near(run_op("DetectionOutput", 8, with, {kBoxes, kScores, kPriors, objects, still})[0], {1, 1, 4, 7},
              {0,          1,          .7f,        0.1079799f, 0.0859189f, 0.3120202f, 0.2940811f, 0, 2, .8f,
               0.4389658f, 0.5590326f, 0.8810341f, 0.9209675f, -1,         0,          0,          0, 0, 0,
               0,          0,          0,          0,          0,          0,          0,          0});
}

TEST(DetectionOutput, Infers) {
  const auto shape = [](const model::AttributeTexts& with, const PartialShape& boxes) {
    return infer_shape("DetectionOutput", 8, with,
                       {open(ElementType::kF32, boxes), open(ElementType::kF32, {Dimension(), 12}),
                        open(ElementType::kF32, {1, 2, 16})});
  };
  EXPECT_EQ(shape(attributes(), {2, 16}), "[1,1,8,7]");
  EXPECT_EQ(shape(attributes(), {Dimension(), 16}), "[1,1,?,7]");
  EXPECT_EQ(shape(attributes({{"keep_top_k", "-1"}, {"top_k", "3"}}), {2, 16}), "[1,1,18,7]");
  EXPECT_EQ(shape(attributes({{"keep_top_k", "-1"}}), {2, 16}), "[1,1,24,7]");
}

TEST(DetectionOutput, Refuses) {
  expect_error(ErrorCode::kInvalidShape, "axis 1 of box_logits [1,12] is 12", [] {
    run_op("DetectionOutput", 8, attributes(), {Tensor(ElementType::kF32, {1, 12}), kScores, kPriors});
  });
  expect_error(ErrorCode::kInvalidShape, "by variance_encoded_in_target it is 1", [] {
    run_op("DetectionOutput", 8, attributes({{"variance_encoded_in_target", "true"}}),
           {kBoxes, kScores, kPriors});
  });
  expect_error(ErrorCode::kInvalidModel, "num_classes",
               [] { run_op("DetectionOutput", 1, attributes(), {kBoxes, kScores, kPriors}); });
}

}  // namespace
}  // namespace wasmvino::test::detection_output_test
