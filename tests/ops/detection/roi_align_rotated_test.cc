// SPDX-License-Identifier: Apache-2.0
// Values are OpenVINO's.
#include <limits>

#include "tests/ops/arrays.h"

namespace wasmvino::test::roi_align_rotated_test {
namespace {

Tensor feature_maps() {
  Tensor maps(ElementType::kF32, {1, 2, 3, 4});
  for (size_t i = 0; i < maps.size(); ++i) maps.mutable_data<float>()[i] = static_cast<float>(i % 7);
  return maps;
}

TEST(ROIAlignRotated, Directions) {
  const Tensor rois = Tensor::of<float>({1, 5}, {2, 1.5f, 2, 3, .5f});
  const auto align = [&](const char* clockwise) {
    return run_op(
        "ROIAlignRotated", 15,
        {{"pooled_h", "2"}, {"pooled_w", "2"}, {"sampling_ratio", "1"}, {"clockwise_mode", clockwise}},
        {feature_maps(), rois, i64s({0})})[0];
  };
  expect_near(align("false"), {1, 2, 2, 2},
              {3.027743f, 1.987623f, 2.727079f, 3.828408f, 3.957062f, 2.632338f, 0.727079f, 3.042938f});
  expect_near(align("true"), {1, 2, 2, 2},
              {1.829179f, 3.409934f, 3.446217f, 2.885523f, 3.469762f, 2.624464f, 2.32021f, 0.8855232f});
}

TEST(ROIAlignRotated, RegionsManyTimesAsLargeAsTheMaps) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  // Of ten million samples six lie at the second row or beside it: 4, 4, 5, 6, 0, 0 and 2, 2, 3, 4, 5, 5.
  const Tensor rois = Tensor::of<float>({4, 5}, {2, 1.5f, 1e7f, 1, 0,    2,    1.5f, kInfinity, 1,    0,
                                                 2, 1.5f, 4,    4, kNan, kNan, 1.5f, 1e7f,      1e7f, 0});
  const Tensor got = run_op("ROIAlignRotated", 15, {{"pooled_h", "1"}, {"pooled_w", "1"}},
                            {feature_maps(), rois, i64s({0, 0, 0, 0})})[0];
  const float* y = got.data<float>();
  EXPECT_NEAR(y[0], 19e-7f, 1e-11f);
  EXPECT_NEAR(y[1], 21e-7f, 1e-11f);
  for (size_t i = 2; i < 8; ++i) EXPECT_EQ(y[i], 0) << i;
}

TEST(ROIAlignRotated, Refuses) {
  expect_error(ErrorCode::kInvalidShape, "rois", [] {
    run_op("ROIAlignRotated", 15, {{"pooled_h", "2"}, {"pooled_w", "2"}},
           {feature_maps(), Tensor(ElementType::kF32, {1, 4}), i64s({0})});
  });
}

}  // namespace
}  // namespace wasmvino::test::roi_align_rotated_test
