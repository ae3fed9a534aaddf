// SPDX-License-Identifier: Apache-2.0
// Values are OpenVINO's.
#include "tests/ops/arrays.h"

namespace wasmvino::test::multiclass_nms_test {
namespace {

const Tensor kBoxes = Tensor::of<float>({1, 6, 4}, {0, 0,  1, 1,  0, .1f,   1, 1.1f,  0, -.1f, 1, .9f,
                                                    0, 10, 1, 11, 0, 10.1f, 1, 11.1f, 0, 100,  1, 101});
const Tensor kScores =
    Tensor::of<float>({1, 2, 6}, {.9f, .75f, .6f, .95f, .5f, .3f, .3f, .5f, .95f, .6f, .75f, .9f});

TEST(MulticlassNms, SharedBoxes) {
  for (const int opset : {8, 9}) {
    const auto got = run_op("MulticlassNms", opset,
                            {{"score_threshold", "0.4"},
                             {"iou_threshold", "0.5"},
                             {"sort_result_type", "classid"},
                             {"keep_top_k", "4"},
                             {"output_type", "i32"}},
                            {kBoxes, kScores}, 3);
    expect_near(got[0], {4, 6}, {0, .95f, 0, 10,   1, 11,  0, .9f, 0, 0,   1, 1,
                                 1, .95f, 0, -.1f, 1, .9f, 1, .9f, 0, 100, 1, 101});
    expect_tensor<int32_t>(got[1], {4, 1}, {3, 0, 2, 5});
    expect_tensor<int32_t>(got[2], {1}, {4});
  }
}

// Boxes of each class; how many belong to each image is an input.
TEST(MulticlassNms, BoxesOfEachClass) {
  Tensor boxes(ElementType::kF32, {2, 3, 4});
  for (size_t i = 0; i < 24; ++i) {
    boxes.mutable_data<float>()[i] = static_cast<float>(10 * (i / 4) + (i % 4 < 2 ? 0 : 1));
  }
  const Tensor scores = Tensor::of<float>({2, 3}, {.1f, .2f, .3f, .6f, .5f, .4f});
  const auto got = run_op("MulticlassNms", 9, {{"iou_threshold", "0.5"}, {"sort_result_type", "score"}},
                          {boxes, scores, i32s({1, 0, 2})}, 3);
  EXPECT_EQ(text_of(got[1]), "[6,1] 1 0 3 5 4 2");
  EXPECT_EQ(text_of(got[2]), "[3] 2 0 4");
  expect_error(ErrorCode::kInvalidValue, "roisnum[1] is 3, but only 2 of 3 boxes are left",
               [&] { run_op("MulticlassNms", 9, {}, {boxes, scores, i32s({1, 3})}, 3); });
}

TEST(MulticlassNms, Limits) {
  const auto indices = [&](const model::AttributeTexts& attributes) {
    return text_of(run_op("MulticlassNms", 9, attributes, {kBoxes, kScores}, 3)[1]);
  };
  EXPECT_EQ(indices({{"iou_threshold", "0.5"}, {"background_class", "1"}}), "[3,1] 3 0 5");
  EXPECT_EQ(indices({{"iou_threshold", "0.5"}, {"nms_top_k", "1"}}), "[2,1] 3 2");
  // Boxes 0 and 2 share 0.818: the threshold sinks with each box that is kept.
  EXPECT_EQ(indices({{"iou_threshold", "0.9"}, {"background_class", "1"}, {"score_threshold", "0.55"}}),
            "[4,1] 3 0 1 2");
  EXPECT_EQ(indices({{"iou_threshold", "0.9"},
                     {"background_class", "1"},
                     {"score_threshold", "0.55"},
                     {"nms_eta", "0.9"}}),
            "[2,1] 3 0");
}

TEST(MulticlassNms, Refuses) {
  expect_error(ErrorCode::kInvalidModel, "",
               [] { run_op("MulticlassNms", 8, {}, {kBoxes, kScores, i32s({1})}, 3); });
  expect_error(ErrorCode::kInvalidShape, "axis 1 of boxes",
               [] { run_op("MulticlassNms", 9, {}, {kBoxes, Tensor(ElementType::kF32, {1, 2, 5})}, 3); });
}

}  // namespace
}  // namespace wasmvino::test::multiclass_nms_test
