// SPDX-License-Identifier: Apache-2.0
// Values are OpenVINO's.
#include "tests/ops/arrays.h"

namespace wasmvino::test::deformable_psroi_pooling_test {
namespace {

Tensor maps() {
  Tensor data(ElementType::kF32, {1, 4, 3, 3});
  for (size_t i = 0; i < data.size(); ++i) data.mutable_data<float>()[i] = static_cast<float>(i % 7);
  return data;
}

model::AttributeTexts attributes(const std::string& part_size) {
  return {{"output_dim", "1"},     {"group_size", "2"},     {"mode", "bilinear_deformable"},
          {"spatial_bins_x", "2"}, {"spatial_bins_y", "2"}, {"trans_std", "0.1"},
          {"part_size", part_size}};
}

const Tensor kRois = Tensor::of<float>({2, 5}, {0, 0, 0, 2, 2, 0, 1, 0, 2, 1});

TEST(DeformablePSROIPooling, Offsets) {
  expect_near(run_op("DeformablePSROIPooling", 1, attributes("1"), {maps(), kRois})[0], {2, 1, 2, 2},
              {0.5f, 3.421875f, 1.25f, 3.515625f, 0.75f, 3.75f, 1.75f, 3});
  Tensor offsets(ElementType::kF32, {2, 2, 2, 2});
  for (size_t i = 0; i < 16; ++i)
    offsets.mutable_data<float>()[i] = static_cast<float>(static_cast<int>(i % 3) - 1);
  expect_near(run_op("DeformablePSROIPooling", 1, attributes("2"), {maps(), kRois, offsets})[0], {2, 1, 2, 2},
              {0.375f, 3.478125f, 1.55f, 3.609375f, 0.95f, 3.55f, 1.65f, 2.5f});
}

TEST(DeformablePSROIPooling, EndOfTheList) {
  const Tensor rois = Tensor::of<float>({2, 5}, {-1, 0, 0, 2, 2, 0, 1, 0, 2, 1});
  expect_near(run_op("DeformablePSROIPooling", 1, attributes("1"), {maps(), rois})[0], {2, 1, 2, 2},
              {0, 0, 0, 0, 0, 0, 0, 0});
}

TEST(DeformablePSROIPooling, Refuses) {
  expect_error(ErrorCode::kInvalidShape,
               "axis 1 of offsets [2,3,2,2] is not 2 times a divisor of output_dim, 1", [] {
                 run_op("DeformablePSROIPooling", 1, attributes("2"),
                        {maps(), kRois, Tensor(ElementType::kF32, {2, 3, 2, 2})});
               });
  expect_error(ErrorCode::kInvalidShape, "axis 2 of offsets [2,2,2,2] is 2, part_size is 1", [] {
    run_op("DeformablePSROIPooling", 1, attributes("1"),
           {maps(), kRois, Tensor(ElementType::kF32, {2, 2, 2, 2})});
  });
}

}  // namespace
}  // namespace wasmvino::test::deformable_psroi_pooling_test
