// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/arrays.h"

namespace wasmvino::test {
namespace {

TEST(PSROIPooling, MeansOfBins) {
  // Each of 2x2 bins of each of 2 channels has a channel of its own.
  const Tensor maps = iota({1, 8, 4, 4}), rois = Tensor::of<float>({2, 5}, {0, 0, 0, 3, 3, 0, 1, 1, 1, 1});
  const model::AttributeTexts attributes = {
      {"output_dim", "2"}, {"group_size", "2"}, {"spatial_scale", "1"}, {"mode", "average"}};
  EXPECT_EQ(text_of(run_op("PSROIPooling", 1, attributes, {maps, rois})[0]),
            "[2,2,2,2] 2.5 20.5 42.5 60.5 66.5 84.5 106.5 124.5 5 21 37 53 69 85 101 117");
}

TEST(PSROIPooling, BilinearMeansOfBins) {
  const Tensor maps = iota({1, 4, 3, 3}), rois = Tensor::of<float>({1, 5}, {0, 0, 0, 1, 1});
  const auto run = [&](const std::string& dim, const std::string& group, const std::string& bins) {
    return text_of(run_op("PSROIPooling", 1,
                          {{"output_dim", dim},
                           {"group_size", group},
                           {"spatial_scale", "1"},
                           {"mode", "bilinear"},
                           {"spatial_bins_x", bins},
                           {"spatial_bins_y", bins}},
                          {maps, rois})[0]);
  };
  EXPECT_EQ(run("4", "2", "1"), "[1,4,2,2] 0 2 6 8 9 11 15 17 18 20 24 26 27 29 33 35");
  EXPECT_EQ(run("1", "1", "2"), "[1,1,1,1] 17.5");
}

TEST(PSROIPooling, Errors) {
  const auto shape = [](const PartialShape& data, const model::AttributeTexts& attributes) {
    return infer_shape("PSROIPooling", 1, attributes,
                       {open(ElementType::kF32, data), open(ElementType::kF32, {3, 5})});
  };
  EXPECT_EQ(shape({1, Dimension(), 4, 4}, {{"output_dim", "2"}, {"group_size", "3"}, {"spatial_scale", "1"}}),
            "[3,2,3,3]");
  expect_error(ErrorCode::kInvalidShape, "has 7 channels, expected 8: 2 of output_dim for each bin", [&] {
    shape({1, 7, 4, 4}, {{"output_dim", "2"}, {"group_size", "2"}, {"spatial_scale", "1"}});
  });
  expect_error(ErrorCode::kInvalidModel, "output_dim", [&] {
    shape({1, 7, 4, 4}, {{"spatial_scale", "1"}});
  });
}

}  // namespace
}  // namespace wasmvino::test
