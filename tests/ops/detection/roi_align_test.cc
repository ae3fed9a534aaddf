// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "core/call.h"
#include "tests/ops/arrays.h"

namespace wasmvino::test::roi_align_test {
namespace {

model::AttributeTexts align(const std::string& height, const std::string& width, const std::string& samples,
                            const std::string& scale, const std::string& mode,
                            const std::string& aligned = "asymmetric") {
  return {{"pooled_h", height},     {"pooled_w", width}, {"sampling_ratio", samples},
          {"spatial_scale", scale}, {"mode", mode},      {"aligned_mode", aligned}};
}

const Tensor kMaps = iota({2, 1, 4, 4});

TEST(ROIAlign, MeansAndMaximaOfSamples) {
  const Tensor rois = Tensor::of<float>({2, 4}, {0, 0, 2, 2, 1, 1, 3, 3});
  const auto run = [&](int opset, const model::AttributeTexts& attributes) {
    return run_op("ROIAlign", opset, attributes, {kMaps, rois, i32s({0, 1})})[0];
  };
  for (const int opset : {3, 9}) {
    expect_near(run(opset, align("1", "1", "1", "1", "avg")), {2, 1, 1, 1}, {5, 26});
    expect_near(run(opset, align("2", "1", "1", "1", "avg")), {2, 1, 2, 1}, {3, 7, 24, 28});
    expect_near(run(opset, align("1", "1", "2", "1", "max")), {2, 1, 1, 1}, {7.5f, 28.5f});
    expect_near(run(opset, align("1", "1", "0", "1", "avg")), {2, 1, 1, 1}, {5, 26});
    expect_near(run(opset, align("1", "1", "1", "0.5", "avg")), {2, 1, 1, 1}, {2.5f, 21});
  }
  expect_near(run(9, align("1", "1", "1", "1", "avg", "half_pixel_for_nn")), {2, 1, 1, 1}, {2.5f, 23.5f});
  expect_near(run(9, align("1", "1", "1", "0.5", "avg", "half_pixel")), {2, 1, 1, 1}, {1.25f, 19.75f});
}

TEST(ROIAlign, RegionsManyTimesAsLargeAsTheMaps) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const auto largest = [&](std::initializer_list<float> roi) {
    return run_op("ROIAlign", 9, align("1", "1", "0", "1", "max", "half_pixel"),
                  {kMaps, Tensor::of<float>({1, 4}, roi), i64s({0})})[0];
  };
  expect_near(largest({-4000000, -4000000, 4000000, 4000000}), {1, 1, 1, 1}, {15});
  expect_near(largest({-4000000, 2, 4000000, 3}), {1, 1, 1, 1}, {13});
  expect_near(largest({-kInfinity, 0, kInfinity, 4}), {1, 1, 1, 1}, {0});
  expect_near(largest({0, 0, 1, std::nanf("")}), {1, 1, 1, 1}, {0});
}

TEST(ROIAlign, BordersAndWhatLiesBeyond) {
  const auto run = [&](std::initializer_list<float> roi, const std::string& mode) {
    return run_op("ROIAlign", 9, align("1", "1", "1", "1", mode),
                  {kMaps, Tensor::of<float>({1, 4}, roi), i64s({0})})[0];
  };
  expect_near(run({3, 3, 4, 4}, "avg"), {1, 1, 1, 1}, {15});    // between the last element and the border
  expect_near(run({-2, -2, 1, 1}, "avg"), {1, 1, 1, 1}, {0});   // half an element before the first
  expect_near(run({5, 0, 6, 1}, "avg"), {1, 1, 1, 1}, {0});     // outside
  expect_near(run({1, 1, 1, 1}, "avg"), {1, 1, 1, 1}, {7.5f});  // at least one element wide
}

TEST(ROIAlign, OpenShapesAndErrors) {
  const Dimension any;
  const auto shape = [](const PartialShape& data, const PartialShape& rois, const PartialShape& indices,
                        const model::AttributeTexts& attributes, ElementType type = ElementType::kI32) {
    return infer_shape("ROIAlign", 9, attributes,
                       {open(ElementType::kF32, data), open(ElementType::kF32, rois), open(type, indices)});
  };
  const auto attributes = align("2", "3", "0", "1", "avg");
  EXPECT_EQ(shape({1, any, 4, 4}, {any, 4}, {5}, attributes), "[5,?,2,3]");
  expect_error(ErrorCode::kInvalidShape, "batch_indices has 4 elements, but rois has 5 rows",
               [&] { shape({1, 2, 4, 4}, {5, 4}, {4}, attributes); });
  expect_error(ErrorCode::kInvalidShape, "rois has shape [5,5], expected 4 columns",
               [&] { shape({1, 2, 4, 4}, {5, 5}, {5}, attributes); });
  expect_error(ErrorCode::kInvalidType, "batch_indices has element type",
               [&] { shape({1, 2, 4, 4}, {5, 4}, {5}, attributes, ElementType::kF32); });
  expect_error(ErrorCode::kInvalidValue, "sampling_ratio is -1",
               [&] { shape({1, 2, 4, 4}, {5, 4}, {5}, align("2", "3", "-1", "1", "avg")); });
  expect_error(ErrorCode::kInvalidValue, "sampling_ratio is 32769",
               [&] { shape({1, 2, 4, 4}, {5, 4}, {5}, align("2", "3", "32769", "1", "avg")); });
  expect_error(ErrorCode::kInvalidModel, "mode",
               [&] { shape({1, 2, 4, 4}, {5, 4}, {5}, {{"pooled_h", "1"}, {"pooled_w", "1"}}); });
  expect_error(ErrorCode::kInvalidValue, "region 0 refers to image 2, but data has 2 images", [&] {
    run_op("ROIAlign", 9, attributes, {kMaps, Tensor::of<float>({1, 4}, {0, 0, 1, 1}), i32s({2})});
  });
}

// A bin of a billion samples takes seconds. Four regions run on several threads.
TEST(ROIAlign, EndsByTheClockWithinARegion) {
  const Limits limits{.milliseconds = 20};
  const Call call(limits);
  const CallScope scope(call);
  expect_error(ErrorCode::kLimitExceeded, "20 ms", [] {
    run_op("ROIAlign", 9, align("1", "1", "32768", "1", "avg"),
           {kMaps, Tensor::of<float>({4, 4}, {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1}),
            i32s({0, 0, 1, 1})});
  });
}

}  // namespace
}  // namespace wasmvino::test::roi_align_test
