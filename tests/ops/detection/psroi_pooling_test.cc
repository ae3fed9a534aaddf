// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/arrays.h"

namespace wasmvino::test::psroi_pooling_test {
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

// Values are OpenVINO's.
TEST(PSROIPooling, OutsideAndEndOfTheList) {
  Tensor maps(ElementType::kF32, {1, 4, 3, 4});
  for (size_t i = 0; i < maps.size(); ++i) maps.mutable_data<float>()[i] = static_cast<float>(i % 11);
  const Tensor rois = Tensor::of<float>({2, 5}, {0, 0, 0, 1.05f, 1, 0, .25f, .5f, .75f, .9f});
  const auto run = [&](const model::AttributeTexts& attributes, const Tensor& regions) {
    return run_op("PSROIPooling", 1, attributes, {maps, regions})[0];
  };
  const model::AttributeTexts bilinear = {{"output_dim", "2"},
                                          {"group_size", "2"},
                                          {"spatial_scale", "1"},
                                          {"mode", "bilinear"},
                                          {"spatial_bins_x", "2"}};
  // What lies beyond the last element is nothing, and not that element.
  expect_near(run(bilinear, rois), {2, 2, 2, 2},
              {1.7875f, 0.7875f, 4.2875f, 4.7875f, 2.7875f, 1.2875f, 5.2875f, 2.125f, 6.125f, 6.875f, 4.925f,
               5.675f, 7.125f, 7.875f, 5.925f, 4.475f});
  const Tensor ended = Tensor::of<float>({3, 5}, {0, 0, 0, 3, 1, 0, 1, 1, 2, 2, -1, 0, 0, 0, 0});
  expect_near(run({{"output_dim", "1"}, {"group_size", "2"}, {"spatial_scale", "1"}}, ended), {3, 1, 2, 2},
              {0.5f, 3.5f, 6.5f, 9.5f, 5, 7, 0, 2, 0, 0, 0, 0});
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
  const model::AttributeTexts bilinear = {{"output_dim", "1"},     {"group_size", "2"},
                                          {"spatial_scale", "1"},  {"mode", "bilinear"},
                                          {"spatial_bins_x", "3"}, {"spatial_bins_y", "3"}};
  expect_error(ErrorCode::kInvalidShape, "data [3,9,9,0] has no elements to sample",
               [&] { shape({3, 9, 9, 0}, bilinear); });
  expect_error(ErrorCode::kInvalidShape, "has 7 channels, expected 9223372036854775807", [&] {
    shape({1, 7, 4, 4}, {{"output_dim", "4294967296"}, {"group_size", "4294967296"}, {"spatial_scale", "1"}});
  });
  expect_error(ErrorCode::kInvalidModel, "output_dim",
               [&] { shape({1, 7, 4, 4}, {{"spatial_scale", "1"}}); });
}

}  // namespace
}  // namespace wasmvino::test::psroi_pooling_test
