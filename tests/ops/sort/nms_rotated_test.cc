// SPDX-License-Identifier: Apache-2.0
// Values are OpenVINO's.
#include "tests/ops/arrays.h"

namespace wasmvino::test::nms_rotated_test {
namespace {

std::vector<Tensor> inputs(const Tensor& boxes, const Tensor& scores, float overlap) {
  return {boxes, scores, Tensor::scalar<int64_t>(5), Tensor::scalar(overlap), Tensor::scalar(0.f)};
}

TEST(NMSRotated, ChoosesTheBest) {
  const Tensor boxes =
      Tensor::of<float>({1, 4, 5}, {0, 0, 4, 2, 0, 0, 0, 4, 2, .3f, 0, 0, 4, 2, 1.5f, 5, 5, 1, 1, .7f});
  const Tensor scores = Tensor::of<float>({1, 1, 4}, {.5f, .9f, .8f, .3f});
  for (const char* clockwise : {"true", "false"}) {
    const auto got = run_op("NMSRotated", 13, {{"clockwise", clockwise}}, inputs(boxes, scores, .4f), 3);
    EXPECT_EQ(text_of(got[0]), "[3,3] 0 0 1 0 0 2 0 0 3");
    expect_near(got[1], {3, 3}, {0, 0, .9f, 0, 0, .8f, 0, 0, .3f});
    expect_tensor<int64_t>(got[2], {1}, {3});
  }
}

// A square turned by 45 degrees meets one that is not in an octagon: 2 (sqrt 2 - 1) of its area.
TEST(NMSRotated, Overlap) {
  const Tensor boxes = Tensor::of<float>({1, 2, 5}, {0, 0, 1, 1, 0, 0, 0, 1, 1, 0.785398163f});
  const Tensor scores = Tensor::of<float>({1, 1, 2}, {.5f, .9f});
  // Intersection over union: 0.828427 / 1.171573 = 0.707107.
  EXPECT_EQ(run_op("NMSRotated", 13, {}, inputs(boxes, scores, .7070f), 3)[0].shape()[0], 1);
  EXPECT_EQ(run_op("NMSRotated", 13, {}, inputs(boxes, scores, .7072f), 3)[0].shape()[0], 2);
}

// Two boxes side by side along their length: whether they meet depends on the direction of the turn.
TEST(NMSRotated, Direction) {
  const Tensor boxes = Tensor::of<float>({1, 2, 5}, {0, 0, 10, 1, .5f, 3, 1.6f, 1, 1, 0});
  const Tensor scores = Tensor::of<float>({1, 1, 2}, {.9f, .5f});
  EXPECT_EQ(run_op("NMSRotated", 13, {{"clockwise", "true"}}, inputs(boxes, scores, .05f), 3)[0].shape()[0],
            1);
  EXPECT_EQ(run_op("NMSRotated", 13, {{"clockwise", "false"}}, inputs(boxes, scores, .05f), 3)[0].shape()[0],
            2);
}

TEST(NMSRotated, Refuses) {
  expect_error(ErrorCode::kInvalidShape, "axis 2 of boxes [1,1,4] is 4", [] {
    run_op("NMSRotated", 13, {},
           inputs(Tensor(ElementType::kF32, {1, 1, 4}), Tensor(ElementType::kF32, {1, 1, 1}), 0), 3);
  });
}

}  // namespace
}  // namespace wasmvino::test::nms_rotated_test
