// SPDX-License-Identifier: Apache-2.0
// Values are OpenVINO's.
#include "tests/ops/arrays.h"

namespace wasmvino::test::matrix_nms_test {
namespace {

const Tensor kBoxes = Tensor::of<float>({1, 6, 4}, {0, 0,  1, 1,  0, .1f,   1, 1.1f,  0, -.1f, 1, .9f,
                                                    0, 10, 1, 11, 0, 10.1f, 1, 11.1f, 0, 100,  1, 101});
const Tensor kScores = Tensor::of<float>({1, 1, 6}, {.9f, .75f, .6f, .95f, .5f, .3f});

TEST(MatrixNms, GaussianDecay) {
  const auto got = run_op("MatrixNms", 8, {{"score_threshold", "0.2"}, {"decay_function", "gaussian"}},
                          {kBoxes, kScores}, 3);
  expect_near(got[0], {6, 6}, {0, .95f,       0, 10,   1, 11,  0, .9f,        0, 0,     1, 1,
                               0, .3f,        0, 100,  1, 101, 0, 0.1966116f, 0, .1f,   1, 1.1f,
                               0, 0.1572893f, 0, -.1f, 1, .9f, 0, 0.1310747f, 0, 10.1f, 1, 11.1f});
  EXPECT_EQ(text_of(got[1]), "[6,1] 3 0 5 1 2 4");
  EXPECT_EQ(text_of(got[2]), "[1] 6");
}

TEST(MatrixNms, LinearDecayInPixels) {
  const auto got = run_op("MatrixNms", 8,
                          {{"score_threshold", "0.2"},
                           {"post_threshold", "0.3"},
                           {"keep_top_k", "4"},
                           {"normalized", "false"},
                           {"output_type", "i32"}},
                          {kBoxes, kScores}, 3);
  expect_near(got[0], {2, 6}, {0, .95f, 0, 10, 1, 11, 0, .9f, 0, 0, 1, 1});
  expect_tensor<int32_t>(got[1], {2, 1}, {3, 0});
  expect_tensor<int32_t>(got[2], {1}, {2});
}

// Corners the other way round: what such boxes share may count, as OpenVINO computes it.
TEST(MatrixNms, TurnedCorners) {
  const Tensor boxes =
      Tensor::of<float>({1, 5, 4}, {0, 0, 4, 4, 3, 3, 1, 1, .5f, .5f, 4, 4, 2, 5, 2, 1, 3.5f, 3, 1, 2});
  const Tensor scores = Tensor::of<float>({1, 1, 5}, {.9f, .8f, .7f, .6f, .95f});
  const auto check = [&](const char* normalized, const char* decay, const std::vector<float>& expected) {
    const auto got =
        run_op("MatrixNms", 8,
               {{"sort_result_type", "score"}, {"normalized", normalized}, {"decay_function", decay}},
               {boxes, scores}, 3);
    EXPECT_EQ(text_of(got[1]), "[5,1] 4 0 1 3 2");
    for (size_t i = 0; i < 5; ++i) EXPECT_NEAR(got[0].data<float>()[6 * i + 1], expected[i], 1e-5f) << i;
  };
  check("true", "linear", {0.95f, 0.7333333f, 0.6545454f, 0.6f, 0.2013494f});
  check("true", "gaussian", {0.95f, 0.8403409f, 0.6860679f, 0.6f, 0.2321315f});
  check("false", "linear", {0.95f, 0.9f, 0.7666667f, 0.6f, 0.133f});
  check("false", "gaussian", {0.95f, 0.9f, 0.7972271f, 0.6f, 0.188459f});
}

TEST(MatrixNms, ImagesClassesAndOrder) {
  Tensor boxes(ElementType::kF32, {2, 2, 4});
  const float places[] = {0, 0, 1, 1, 5, 5, 6, 6};
  for (size_t i = 0; i < 16; ++i) boxes.mutable_data<float>()[i] = places[i % 8];
  const Tensor scores = Tensor::of<float>({2, 2, 2}, {.1f, .2f, .8f, .4f, .5f, .6f, .7f, .3f});
  const auto indices = [&](const model::AttributeTexts& attributes) {
    return text_of(run_op("MatrixNms", 8, attributes, {boxes, scores}, 3)[1]);
  };
  EXPECT_EQ(indices({}), "[8,1] 0 1 1 0 2 3 2 3");
  EXPECT_EQ(indices({{"background_class", "0"}}), "[4,1] 0 1 2 3");
  EXPECT_EQ(indices({{"nms_top_k", "1"}}), "[4,1] 0 1 2 3");
  EXPECT_EQ(
      indices({{"keep_top_k", "1"}, {"sort_result_type", "score"}, {"sort_result_across_batch", "true"}}),
      "[2,1] 0 2");
  EXPECT_EQ(indices({{"sort_result_type", "classid"}, {"sort_result_across_batch", "true"}}),
            "[8,1] 1 0 3 2 0 1 2 3");
}

TEST(MatrixNms, InfersAndRefuses) {
  const auto inferred = infer_op("MatrixNms", 8, {},
                                 {open(ElementType::kF32, {2, 5, 4}), open(ElementType::kF32, {2, 3, 5})}, 3);
  EXPECT_EQ(to_string(inferred[0].shape), "[..30,6]");
  EXPECT_EQ(to_string(inferred[1].shape), "[..30,1]");
  EXPECT_EQ(to_string(inferred[2].shape), "[2]");
  expect_error(ErrorCode::kInvalidType, "boxes",
               [] { run_op("MatrixNms", 8, {}, {kBoxes, Tensor(ElementType::kF16, {1, 1, 6})}, 3); });
}

}  // namespace
}  // namespace wasmvino::test::matrix_nms_test
