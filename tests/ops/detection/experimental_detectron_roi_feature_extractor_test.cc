// SPDX-License-Identifier: Apache-2.0
// Values are OpenVINO's.
#include "tests/ops/arrays.h"

namespace wasmvino::test::experimental_detectron_roi_feature_extractor_test {
namespace {

const Tensor kRois = Tensor::of<float>({3, 4}, {0, 0, 16, 16, 2, 2, 200, 200, 3, 3, 3, 9});

std::vector<Tensor> extract(const std::string& aligned) {
  return run_op(
      "ExperimentalDetectronROIFeatureExtractor", 6,
      {{"output_size", "2"}, {"sampling_ratio", "2"}, {"pyramid_scales", "4, 100"}, {"aligned", aligned}},
      {kRois, iota({1, 1, 4, 4}), iota({1, 1, 2, 2})}, 2);
}

TEST(ExperimentalDetectronROIFeatureExtractor, Levels) {
  const auto got = extract("false");
  expect_near(got[0], {3, 1, 2, 2}, {5, 6.75f, 12, 13.75f, 1.545f, 2.03f, 2.515f, 3, 0, 0, 0, 0});
  expect_near(got[1], {3, 4}, {0, 0, 16, 16, 2, 2, 200, 200, 3, 3, 3, 9});
  expect_near(extract("true")[0], {3, 1, 2, 2},
              {2.5f, 4.5f, 10.5f, 12.5f, 0.39375f, 1.14125f, 1.88875f, 2.63625f, 0, 0, 0, 0});
}

TEST(ExperimentalDetectronROIFeatureExtractor, LeavesScalesOfFurtherLevelsOver) {
  const auto extract_with = [](const std::string& scales) {
    return run_op("ExperimentalDetectronROIFeatureExtractor", 6,
                  {{"output_size", "2"}, {"sampling_ratio", "2"}, {"pyramid_scales", scales}},
                  {kRois, iota({1, 1, 4, 4}), iota({1, 1, 2, 2})}, 2)[0];
  };
  expect_near(extract_with("4, 100, 200, 400"), {3, 1, 2, 2},
              {5, 6.75f, 12, 13.75f, 1.545f, 2.03f, 2.515f, 3, 0, 0, 0, 0});
  expect_error(ErrorCode::kInvalidModel, "the layer has 3 inputs, expected 2", [&] { extract_with("4"); });
  expect_error(ErrorCode::kInvalidModel, "'pyramid_scales' is empty", [] {
    run_op("ExperimentalDetectronROIFeatureExtractor", 6, {{"output_size", "2"}, {"pyramid_scales", ""}},
           {kRois, iota({1, 1, 4, 4})}, 2);
  });
}

// Five columns of eight million samples lie at the map or beside it.
TEST(ExperimentalDetectronROIFeatureExtractor, RegionsManyTimesAsLargeAsTheMaps) {
  const Tensor rois = Tensor::of<float>({1, 4}, {-4e6f, 0, 4e6f, 4});
  const auto got = run_op("ExperimentalDetectronROIFeatureExtractor", 6,
                          {{"output_size", "1"}, {"sampling_ratio", "0"}, {"pyramid_scales", "1"}},
                          {rois, iota({1, 1, 4, 4})}, 2);
  EXPECT_NEAR(got[0].data<float>()[0], 180 / 32e6f, 1e-10f);
}

TEST(ExperimentalDetectronROIFeatureExtractor, Refuses) {
  expect_error(ErrorCode::kInvalidShape, "axis 1 of feature map 1 [1,2,2,2] is 2", [] {
    run_op("ExperimentalDetectronROIFeatureExtractor", 6, {{"output_size", "2"}, {"pyramid_scales", "4, 8"}},
           {kRois, iota({1, 1, 4, 4}), iota({1, 2, 2, 2})}, 2);
  });
  expect_error(ErrorCode::kInvalidModel, "'pyramid_scales' contains 0", [] {
    run_op("ExperimentalDetectronROIFeatureExtractor", 6, {{"output_size", "2"}, {"pyramid_scales", "0"}},
           {kRois, iota({1, 1, 4, 4})}, 2);
  });
}

}  // namespace
}  // namespace wasmvino::test::experimental_detectron_roi_feature_extractor_test
