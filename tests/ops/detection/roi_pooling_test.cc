// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/ops/arrays.h"
#include "tests/ops/open_inputs.h"

namespace wasmvino::test::roi_pooling_test {
namespace {

model::AttributeTexts pooling(const std::string& height, const std::string& width, const std::string& scale,
                              const std::string& method) {
  return {{"pooled_h", height}, {"pooled_w", width}, {"spatial_scale", scale}, {"method", method}};
}

TEST(ROIPooling, Maxima) {
  const Tensor maps = iota({2, 2, 4, 4});
  const Tensor rois = Tensor::of<float>({3, 5}, {0, 0, 0, 3, 3, 1, 1, 1, 2, 2, 0, 2, 1, 2, 1});
  EXPECT_EQ(text_of(run_op("ROIPooling", 2, pooling("2", "2", "1", "max"), {maps, rois})[0]),
            "[3,2,2,2] 5 7 13 15 21 23 29 31 37 38 41 42 53 54 57 58 6 6 6 6 22 22 22 22");
  // Corners are rounded after scaling; what lies outside is cut off, and a bin without an element is 0.
  const Tensor outside = Tensor::of<float>({2, 5}, {0, 4, 4, 14, 14, 0, 20, 20, 30, 30});
  EXPECT_EQ(text_of(run_op("ROIPooling", 2, pooling("1", "2", "0.5", "max"), {maps, outside})[0]),
            "[2,2,1,2] 15 0 31 0 0 0 0 0");
}

TEST(ROIPooling, Bilinear) {
  const Tensor maps = iota({1, 1, 3, 3});
  const Tensor rois =
      Tensor::of<float>({3, 5}, {0, 0, 0, 1, 1, 0, 0.25f, 0.5f, 0.75f, 0.5f, 0, 0.5f, 0.5f, 2, 2});
  const auto run = [&](const std::string& height, const std::string& width) {
    return text_of(run_op("ROIPooling", 2, pooling(height, width, "1", "bilinear"), {maps, rois})[0]);
  };
  EXPECT_EQ(run("2", "2"), "[3,1,2,2] 0 2 6 8 3.5 4.5 3.5 4.5 4 0 0 0");
  EXPECT_EQ(run("1", "1"), "[3,1,1,1] 4 4 0");
  EXPECT_EQ(run("1", "3"), "[3,1,1,3] 3 4 5 3.5 4 4.5 0 0 0");
}

// 37 channels: two blocks of vectors and a rest. Two images, one thread and three.
TEST(ROIPooling, ManyChannels) {
  constexpr int64_t kChannels = 37, kHeight = 9, kWidth = 11;
  Tensor maps(ElementType::kF32, {2, kChannels, kHeight, kWidth});
  for (size_t i = 0; i < maps.size(); ++i) maps.mutable_data<float>()[i] = static_cast<float>(i * 37 % 1009);
  const Tensor rois = Tensor::of<float>({2, 5}, {1, 1, 2, 7, 6, 0, 3, 0, 10, 8});
  for (const size_t threads : {1u, 3u}) {
    const Tensor y =
        run_op_open("ROIPooling", 2, pooling("1", "1", "1", "max"), {maps, rois}, 1, {}, threads)[0];
    for (int64_t c = 0; c < kChannels; ++c) {
      const auto best = [&](int64_t picture, int64_t left, int64_t top, int64_t right, int64_t bottom) {
        float most = -1e30f;
        for (int64_t h = top; h <= bottom; ++h) {
          for (int64_t w = left; w <= right; ++w) {
            most = std::max(most, maps.data<float>()[((picture * kChannels + c) * kHeight + h) * kWidth + w]);
          }
        }
        return most;
      };
      EXPECT_EQ(y.data<float>()[c], best(1, 1, 2, 7, 6));
      EXPECT_EQ(y.data<float>()[kChannels + c], best(0, 3, 0, 10, 8));
    }
  }
}

TEST(ROIPooling, ListsEndWithMinusOne) {
  const Tensor rois = Tensor::of<float>({3, 5}, {0, 0, 0, 1, 1, -1, 0, 0, 1, 1, 0, 0, 0, 1, 1});
  EXPECT_EQ(text_of(run_op("ROIPooling", 2, pooling("1", "1", "1", "max"), {iota({1, 1, 2, 2}), rois})[0]),
            "[3,1,1,1] 3 0 0");
}

TEST(ROIPooling, OpenShapesAndErrors) {
  const Dimension any;
  const auto shape = [](const PartialShape& data, const PartialShape& rois,
                        const model::AttributeTexts& attributes) {
    return infer_shape("ROIPooling", 2, attributes,
                       {open(ElementType::kF32, data), open(ElementType::kF32, rois)});
  };
  EXPECT_EQ(shape({1, any, 4, 4}, {any, 5}, pooling("2", "3", "1", "max")), "[?,?,2,3]");
  EXPECT_EQ(shape({1, 7, any, any}, {4, 5}, {{"output_size", "6,5"}, {"spatial_scale", "1"}}), "[4,7,6,5]");
  expect_error(ErrorCode::kInvalidShape, "rois has shape [4,4], expected 5 columns",
               [&] { shape({1, 7, 4, 4}, {4, 4}, pooling("2", "3", "1", "max")); });
  expect_error(ErrorCode::kInvalidValue, "pooled_h is 0",
               [&] { shape({1, 7, 4, 4}, {4, 5}, pooling("0", "3", "1", "max")); });
  expect_error(ErrorCode::kInvalidValue, "spatial_scale is 0",
               [&] { shape({1, 7, 4, 4}, {4, 5}, pooling("1", "3", "0", "max")); });
  expect_error(ErrorCode::kInvalidValue,
               "region 0 refers to image -1.0000000150474662e+30, but data has 1 image", [] {
                 run_op("ROIPooling", 2, pooling("1", "1", "1", "max"),
                        {iota({1, 1, 2, 2}), Tensor::of<float>({1, 5}, {-1e30f, 0, 0, 1, 1})});
               });
  expect_error(ErrorCode::kInvalidValue, "region 1 refers to image 2, but data has 1 image", [] {
    run_op("ROIPooling", 2, pooling("1", "1", "1", "max"),
           {iota({1, 1, 2, 2}), Tensor::of<float>({2, 5}, {0, 0, 0, 1, 1, 2, 0, 0, 1, 1})});
  });
}

}  // namespace
}  // namespace wasmvino::test::roi_pooling_test
