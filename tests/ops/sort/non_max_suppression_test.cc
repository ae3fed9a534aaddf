// SPDX-License-Identifier: Apache-2.0
// Values are OpenVINO's.
#include <limits>

#include "core/float_types.h"
#include "tests/ops/arrays.h"

namespace wasmvino::test::non_max_suppression_test {
namespace {

const Tensor kBoxes = Tensor::of<float>({1, 6, 4}, {0, 0,  1, 1,  0, .1f,   1, 1.1f,  0, -.1f, 1, .9f,
                                                    0, 10, 1, 11, 0, 10.1f, 1, 11.1f, 0, 100,  1, 101});
const Tensor kScores = Tensor::of<float>({1, 1, 6}, {.9f, .75f, .6f, .95f, .5f, .3f});

std::vector<Tensor> inputs(int64_t count, float overlap, float score) {
  return {kBoxes, kScores, Tensor::scalar(count), Tensor::scalar(overlap), Tensor::scalar(score)};
}

TEST(NonMaxSuppression, ChoosesTheBest) {
  for (const int opset : {5, 9}) {
    const auto got = run_op("NonMaxSuppression", opset, {{"output_type", "i32"}}, inputs(3, .5f, .2f), 3);
    EXPECT_EQ(text_of(got[0]), "[3,3] 0 0 3 0 0 0 0 0 5");
    expect_near(got[1], {3, 3}, {0, 0, .95f, 0, 0, .9f, 0, 0, .3f});
    expect_tensor<int32_t>(got[2], {1}, {3});
  }
  for (const int opset : {1, 3, 4}) {
    const auto got = run_op("NonMaxSuppression", opset, {}, inputs(2, .5f, .2f));
    expect_tensor<int64_t>(got[0], {2, 3}, {0, 0, 3, 0, 0, 0});
  }
}

TEST(NonMaxSuppression, SoftSuppression) {
  auto with = inputs(3, .5f, .2f);
  with.push_back(Tensor::of<float>({1}, {.5f}));
  const auto got = run_op("NonMaxSuppression", 9, {}, with, 3);
  EXPECT_EQ(text_of(got[0]), "[3,3] 0 0 3 0 0 0 0 0 1");
  expect_near(got[1], {3, 3}, {0, 0, .95f, 0, 0, .9f, 0, 0, .3840035f});
}

// The overlap of infinite boxes is NaN, and so is the score then, which is above no threshold. (OpenVINO's
// CPU plugin makes it infinite.)
TEST(NonMaxSuppression, SoftSuppressionOfInfiniteBoxes) {
  const float infinite = std::numeric_limits<float>::infinity();
  const Tensor boxes = Tensor::of<float>({1, 3, 4}, {0, 0, infinite, 1, 0, 0, infinite, 1, 5, 5, 6, 6});
  const Tensor scores = Tensor::of<float>({1, 1, 3}, {.9f, .8f, .7f});
  const auto got = run_op("NonMaxSuppression", 9, {{"output_type", "i32"}},
                          {boxes, scores, Tensor::scalar<int64_t>(3), Tensor::scalar(.5f),
                           Tensor::scalar(0.0f), Tensor::scalar(.5f)},
                          3);
  EXPECT_EQ(text_of(got[0]), "[2,3] 0 0 0 0 0 2");
}

TEST(NonMaxSuppression, Order) {
  const Tensor boxes = Tensor::of<float>({2, 2, 4}, {0, 0, 1, 1, 2, 2, 3, 3, 0, 0, 1, 1, 2, 2, 3, 3});
  const Tensor scores = Tensor::of<float>({2, 2, 2}, {.1f, .2f, .3f, .4f, .5f, .6f, .7f, .8f});
  const std::vector<Tensor> all = {boxes, scores, Tensor::scalar<int64_t>(1), Tensor::scalar(.5f),
                                   Tensor::scalar(0.f)};
  EXPECT_EQ(text_of(run_op("NonMaxSuppression", 9, {{"sort_result_descending", "false"}}, all, 3)[0]),
            "[4,3] 0 0 1 0 1 1 1 0 1 1 1 1");
  EXPECT_EQ(text_of(run_op("NonMaxSuppression", 9, {}, all, 3)[0]), "[4,3] 1 1 1 1 0 1 0 1 1 0 0 1");
}

TEST(NonMaxSuppression, Encodings) {
  // Corners in any order; centers with sizes.
  const Tensor corners = Tensor::of<float>({1, 2, 4}, {1, 1, 0, 0, 0, .8f, 1, 1.8f});
  const Tensor centers = Tensor::of<float>({1, 2, 4}, {.5f, .5f, 1, 1, 1.3f, .5f, 1, 1});
  const Tensor scores = Tensor::of<float>({1, 1, 2}, {.5f, .6f});
  for (const float overlap : {.1f, .12f}) {  // 0.2 / 1.8 is 0.111
    const std::vector<Tensor> limits = {Tensor::scalar<int64_t>(9), Tensor::scalar(overlap),
                                        Tensor::scalar(0.f)};
    const int64_t rows = overlap < .111f ? 1 : 2;
    EXPECT_EQ(run_op("NonMaxSuppression", 9, {}, {corners, scores, limits[0], limits[1], limits[2]}, 3)[0]
                  .shape()[0],
              rows);
    EXPECT_EQ(run_op("NonMaxSuppression", 9, {{"box_encoding", "center"}},
                     {centers, scores, limits[0], limits[1], limits[2]}, 3)[0]
                  .shape()[0],
              rows);
  }
}

TEST(NonMaxSuppression, LimitsLeftOutAreZero) {
  EXPECT_EQ(text_of(run_op("NonMaxSuppression", 9, {}, {kBoxes, kScores}, 3)[0]), "[0,3]");
}

TEST(NonMaxSuppression, NoBoxes) {
  const Tensor boxes(ElementType::kF32, {1, 0, 4}), scores(ElementType::kF32, {1, 2, 0});
  const auto got = run_op("NonMaxSuppression", 9, {}, {boxes, scores, Tensor::scalar<int64_t>(3)}, 3);
  EXPECT_EQ(text_of(got[0]), "[0,3]");
  EXPECT_EQ(text_of(got[2]), "[1] 0");
}

TEST(NonMaxSuppression, Half) {
  const Tensor boxes =
      Tensor::of<Float16>({1, 1, 4}, {Float16(0.f), Float16(0.f), Float16(1.f), Float16(1.f)});
  const Tensor scores = Tensor::of<Float16>({1, 1, 1}, {Float16(.5f)});
  const auto got = run_op("NonMaxSuppression", 9, {}, {boxes, scores, Tensor::scalar<int32_t>(1)}, 3);
  expect_near(got[1], {1, 3}, {0, 0, .5f});
}

TEST(NonMaxSuppression, InfersAndRefuses) {
  EXPECT_EQ(infer_shape("NonMaxSuppression", 9, {},
                        {open(ElementType::kF32, {2, 5, 4}), open(ElementType::kF32, {2, 3, 5})}),
            "[..30,3]");
  expect_error(ErrorCode::kInvalidShape, "axis 2 of boxes [1,6,5] is 5", [] {
    run_op("NonMaxSuppression", 9, {}, {Tensor(ElementType::kF32, {1, 6, 5}), kScores}, 3);
  });
  expect_error(ErrorCode::kInvalidShape, "axis 1 of boxes [1,5,4] is 5", [] {
    run_op("NonMaxSuppression", 9, {}, {Tensor(ElementType::kF32, {1, 5, 4}), kScores}, 3);
  });
  expect_error(ErrorCode::kInvalidModel, "'output_type' is f32",
               [] { run_op("NonMaxSuppression", 9, {{"output_type", "f32"}}, {kBoxes, kScores}, 3); });
}

}  // namespace
}  // namespace wasmvino::test::non_max_suppression_test
