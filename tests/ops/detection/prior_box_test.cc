// SPDX-License-Identifier: Apache-2.0
// Values are OpenVINO's.
#include "tests/ops/arrays.h"

namespace wasmvino::test::prior_box_test {
namespace {

const model::AttributeTexts kAttributes = {{"min_size", "4"},
                                           {"max_size", "9"},
                                           {"aspect_ratio", "4"},
                                           {"flip", "true"},
                                           {"step", "10"},
                                           {"offset", "0.5"},
                                           {"variance", "0.1, 0.1, 0.2, 0.2"}};

model::AttributeTexts with(const model::AttributeTexts& more) {
  model::AttributeTexts all = more;
  all.insert(all.end(), kAttributes.begin(), kAttributes.end());
  return all;
}

TEST(PriorBox, SizesAndRatios) {
  const auto got =
      run_op("PriorBox", 8, with({{"min_max_aspect_ratios_order", "false"}}), {i64s({1, 2}), i32s({20, 40})});
  expect_near(
      got[0], {2, 32},
      {0.075f, 0.15f, 0.175f, 0.35f,  0.025f, 0.2f,   0.225f, 0.3f,   0.1f, 0.05f,  0.15f, 0.45f, 0.05f,
       0.1f,   0.2f,  0.4f,   0.325f, 0.15f,  0.425f, 0.35f,  0.275f, 0.2f, 0.475f, 0.3f,  0.35f, 0.05f,
       0.4f,   0.45f, 0.3f,   0.1f,   0.45f,  0.4f,   0.1f,   0.1f,   0.2f, 0.2f,   0.1f,  0.1f,  0.2f,
       0.2f,   0.1f,  0.1f,   0.2f,   0.2f,   0.1f,   0.1f,   0.2f,   0.2f, 0.1f,   0.1f,  0.2f,  0.2f,
       0.1f,   0.1f,  0.2f,   0.2f,   0.1f,   0.1f,   0.2f,   0.2f,   0.1f, 0.1f,   0.2f,  0.2f});
}

// Caffe's order: the box of the maximum comes second. Version 1 knows no other.
TEST(PriorBox, MaximumBeforeRatios) {
  for (const int opset : {1, 8}) {
    const auto got = run_op("PriorBox", opset, kAttributes, {i64s({1, 1}), i64s({20, 40})});
    const float* boxes = got[0].data<float>();
    EXPECT_FLOAT_EQ(boxes[4], 0.05f) << opset;
    EXPECT_FLOAT_EQ(boxes[8], 0.025f) << opset;
  }
}

// "scale_all_sizes equals 0 means that max_size attribute is ignored"; sizes are parts of the height then.
TEST(PriorBox, SizesOfTheImage) {
  const auto got =
      run_op("PriorBox", 8, with({{"scale_all_sizes", "false"}, {"min_size", "0.2"}, {"step", "0.5"}}),
             {i64s({1, 1}), i64s({20, 40})});
  expect_near(got[0], {2, 12},
              {0.075f, 0.15f, 0.175f, 0.35f, 0.025f, 0.2f, 0.225f, 0.3f, 0.1f, 0.05f, 0.15f, 0.45f,
               0.1f,   0.1f,  0.2f,   0.2f,  0.1f,   0.1f, 0.2f,   0.2f, 0.1f, 0.1f,  0.2f,  0.2f});
}

TEST(PriorBox, DenseBoxesOfFixedSize) {
  const auto got =
      run_op("PriorBox", 8, {{"fixed_size", "8"}, {"density", "2"}, {"offset", "0.5"}, {"step", "16"}},
             {i64s({1, 1}), i64s({16, 16})});
  expect_near(got[0], {2, 16},
              {0.125f, 0.125f, 0.625f, 0.625f, 0.375f, 0.125f, 0.875f, 0.625f, 0.125f, 0.375f, 0.625f,
               0.875f, 0.375f, 0.375f, 0.875f, 0.875f, 0.1f,   0.1f,   0.1f,   0.1f,   0.1f,   0.1f,
               0.1f,   0.1f,   0.1f,   0.1f,   0.1f,   0.1f,   0.1f,   0.1f,   0.1f,   0.1f});
}

TEST(PriorBox, InfersAndRefuses) {
  EXPECT_EQ(
      infer_shape("PriorBox", 8, kAttributes, {open(ElementType::kI64, {2}), open(ElementType::kI64, {2})}),
      "[2,?]");
  expect_error(ErrorCode::kInvalidModel, "'variance' has 2 elements",
               [] { run_op("PriorBox", 8, with({{"variance", "1, 2"}}), {i64s({1, 1}), i64s({20, 40})}); });
  expect_error(ErrorCode::kInvalidModel, "'density' has 0 elements, but 'fixed_size' has 1",
               [] { run_op("PriorBox", 8, {{"fixed_size", "8"}}, {i64s({1, 1}), i64s({20, 40})}); });
  for (const char* density : {"0", "-1", "1e9", "nan"}) {
    expect_error(ErrorCode::kInvalidModel, "expected 1 to 64", [density] {
      run_op("PriorBox", 8, {{"fixed_size", "8"}, {"density", density}}, {i64s({1, 1}), i64s({20, 40})});
    });
  }
  expect_error(ErrorCode::kInvalidShape, "axis 0 of image_size [3] is 3",
               [] { run_op("PriorBox", 8, kAttributes, {i64s({1, 1}), i64s({20, 40, 1})}); });
}

}  // namespace
}  // namespace wasmvino::test::prior_box_test
