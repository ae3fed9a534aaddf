// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/domain_tester.h"

namespace wasmvino::test::resize_test {
namespace {

const Tensor kNone(ElementType::kF32, {0}), kNoSizes(ElementType::kI64, {0});

// 1 2 3
// 4 5 6
Tensor data() { return Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6}); }

Tensor resize(const model::AttributeTexts& attributes, const Tensor& scales, const Tensor& sizes,
              const Tensor& roi = kNone) {
  const std::vector<Tensor> inputs = {data(), scales, sizes, roi};
  run_domain_op_open("ai.onnx", "Resize", attributes, inputs, {1, 2, 3}, 3);
  return run_domain_op("ai.onnx", "Resize", attributes, inputs);
}
Tensor to_sizes(const model::AttributeTexts& attributes, std::initializer_list<int64_t> sizes) {
  return resize(attributes, kNone, Tensor::of<int64_t>({2}, sizes));
}
Tensor by_scales(const model::AttributeTexts& attributes, std::initializer_list<float> scales) {
  return resize(attributes, Tensor::of<float>({2}, scales), kNoSizes);
}

// Expected values: onnx 1.23's reference implementation.
TEST(Resize, Antialias) {
  expect_near(to_sizes({{"mode", "linear"}, {"antialias", "true"}}, {1, 2}), {1, 2},
              {2.8333333f, 4.1666665f});
  expect_near(by_scales({{"mode", "cubic"}, {"antialias", "true"}}, {1, 0.6f}), {2, 1},
              {1.3469877f, 4.3469877f});
}

TEST(Resize, ExcludesWhatIsOutside) {
  expect_near(
      to_sizes({{"mode", "cubic"}, {"exclude_outside", "true"}}, {2, 4}), {2, 4},
      {0.9198473f, 1.4970224f, 2.5029776f, 3.0801528f, 3.9198472f, 4.4970226f, 5.5029774f, 6.0801525f});
}

TEST(Resize, KeepsTheRatioOfTheSizes) {
  expect_near(to_sizes({{"mode", "nearest"}, {"keep_aspect_ratio_policy", "not_larger"}}, {3, 6}), {3, 5},
              {1, 1, 2, 3, 3, 1, 1, 2, 3, 3, 4, 4, 5, 6, 6});
  EXPECT_EQ(to_string(to_sizes({{"keep_aspect_ratio_policy", "not_smaller"}}, {3, 6}).shape()), "[4,6]");
}

TEST(Resize, Crops) {
  expect_near(resize({{"mode", "linear"},
                      {"coordinate_transformation_mode", "tf_crop_and_resize"},
                      {"extrapolation_value", "9"}},
                     kNone, Tensor::of<int64_t>({2}, {2, 3}), Tensor::of<float>({4}, {0, 0.5f, 1, 1.5f})),
              {2, 3}, {2, 3, 9, 5, 6, 9});
}

TEST(Resize, KeepsTheCenter) {
  expect_near(
      by_scales({{"mode", "linear"}, {"coordinate_transformation_mode", "half_pixel_symmetric"}}, {1, 0.6f}),
      {2, 1}, {2, 5});
}

TEST(Resize, ModesOfNearestElements) {
  expect_near(to_sizes({{"mode", "nearest"}, {"nearest_mode", "ceil"}}, {2, 5}), {2, 5},
              {1, 2, 2, 3, 3, 4, 5, 5, 6, 6});
  expect_near(
      by_scales({{"nearest_mode", "floor"}, {"coordinate_transformation_mode", "asymmetric"}}, {1, 2}),
      {2, 6}, {1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6});
}

TEST(Resize, ChosenAxes) {
  expect_near(resize({{"axes", "1"}, {"mode", "nearest"}}, kNone, Tensor::of<int64_t>({1}, {1})), {2, 1},
              {2, 5});
}

TEST(Resize, Refuses) {
  expect_error(ErrorCode::kInvalidValue, "it has 0 scales and 0 sizes", [] { resize({}, kNone, kNoSizes); });
  expect_error(ErrorCode::kInvalidValue, "sizes has 1 numbers, expected 2",
               [] { resize({}, kNone, Tensor::of<int64_t>({1}, {1})); });
  expect_error(ErrorCode::kInvalidValue, "scales[1] is -1", [] { by_scales({}, {1, -1}); });
  expect_error(ErrorCode::kInvalidValue, "roi has 0 numbers, expected 4",
               [] { to_sizes({{"coordinate_transformation_mode", "tf_crop_and_resize"}}, {1, 1}); });
  expect_error(ErrorCode::kInvalidModel, "names an axis twice",
               [] { resize({{"axes", "1,-1"}}, kNone, Tensor::of<int64_t>({2}, {1, 1})); });
}

}  // namespace
}  // namespace wasmvino::test::resize_test
