// SPDX-License-Identifier: Apache-2.0
// Values are OpenVINO's.
#include "tests/ops/arrays.h"

namespace wasmvino::test::experimental_detectron_detection_output_test {
namespace {

model::AttributeTexts attributes(const model::AttributeTexts& more = {}) {
  model::AttributeTexts all = more;
  all.insert(all.end(), {{"score_threshold", "0.5"},
                         {"nms_threshold", "0.4"},
                         {"num_classes", "2"},
                         {"post_nms_count", "10"},
                         {"max_detections_per_image", "3"},
                         {"max_delta_log_wh", "4"},
                         {"deltas_weights", "10, 10, 5, 5"}});
  return all;
}

std::vector<Tensor> inputs() {
  Tensor deltas(ElementType::kF32, {3, 8});
  std::fill_n(deltas.mutable_data<float>(), 24, 0.0f);
  deltas.mutable_data<float>()[4] = 5;
  deltas.mutable_data<float>()[2 * 8 + 6] = 2.5f;
  return {Tensor::of<float>({3, 4}, {0, 0, 9, 9, 2, 0, 11, 9, 20, 20, 29, 39}), deltas,
          Tensor::of<float>({3, 2}, {.1f, .9f, .2f, .8f, .3f, .7f}), Tensor::of<float>({1, 3}, {60, 70, 1})};
}

TEST(ExperimentalDetectronDetectionOutput, ChoosesTheBest) {
  const auto got = run_op("ExperimentalDetectronDetectionOutput", 6, attributes(), inputs(), 3);
  expect_near(got[0], {3, 4}, {5, 0, 14, 9, 16.75639f, 20, 32.24361f, 39, 0, 0, 0, 0});
  expect_tensor<int32_t>(got[1], {3}, {1, 1, 0});
  expect_near(got[2], {3}, {.9f, .7f, 0});
}

TEST(ExperimentalDetectronDetectionOutput, Limits) {
  const auto scores = [](const model::AttributeTexts& more) {
    return run_op("ExperimentalDetectronDetectionOutput", 6, attributes(more), inputs(), 3)[2];
  };
  expect_near(scores({{"nms_threshold", "1"}}), {3}, {.9f, .8f, .7f});
  expect_near(scores({{"nms_threshold", "1"}, {"post_nms_count", "2"}}), {3}, {.9f, .8f, 0});
  expect_near(scores({{"nms_threshold", "1"}, {"max_detections_per_image", "1"}}), {1}, {.9f});
  expect_near(scores({{"score_threshold", "0.75"}}), {3}, {.9f, 0, 0});
}

TEST(ExperimentalDetectronDetectionOutput, Refuses) {
  expect_error(ErrorCode::kInvalidModel, "'deltas_weights' has 1 elements", [] {
    run_op("ExperimentalDetectronDetectionOutput", 6, attributes({{"deltas_weights", "1"}}), inputs(), 3);
  });
  expect_error(ErrorCode::kInvalidShape, "axis 1 of deltas [3,8] is 8", [] {
    run_op("ExperimentalDetectronDetectionOutput", 6, attributes({{"num_classes", "3"}}), inputs(), 3);
  });
}

}  // namespace
}  // namespace wasmvino::test::experimental_detectron_detection_output_test
