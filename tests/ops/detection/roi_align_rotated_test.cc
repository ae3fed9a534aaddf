// SPDX-License-Identifier: Apache-2.0
// Values are OpenVINO's.
#include "tests/ops/arrays.h"

namespace wasmvino::test {
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

TEST(ROIAlignRotated, Refuses) {
  expect_error(ErrorCode::kInvalidShape, "rois", [] {
    run_op("ROIAlignRotated", 15, {{"pooled_h", "2"}, {"pooled_w", "2"}},
           {feature_maps(), Tensor(ElementType::kF32, {1, 4}), i64s({0})});
  });
}

}  // namespace
}  // namespace wasmvino::test
