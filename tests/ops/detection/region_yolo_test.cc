// SPDX-License-Identifier: Apache-2.0
// Values are OpenVINO's.
#include <cmath>

#include "tests/ops/arrays.h"

namespace wasmvino::test::region_yolo_test {
namespace {

Tensor predictions() {
  Tensor data(ElementType::kF32, {1, 14, 1, 1});
  for (size_t i = 0; i < 14; ++i) data.mutable_data<float>()[i] = (static_cast<float>(i) - 6) / 4;
  return data;
}

TEST(RegionYolo, Version2OfTheNetwork) {
  expect_near(run_op("RegionYolo", 1,
                     {{"axis", "1"}, {"end_axis", "3"}, {"coords", "4"}, {"classes", "2"}, {"num", "2"}},
                     {predictions()})[0],
              {1, 14},
              {0.1824255f, 0.2227001f, -1, -0.75f, 0.3775406f, 0.4378235f, 0.5621765f, 0.5621765f, 0.6224594f,
               0.75f, 1, 0.7772999f, 0.4378235f, 0.5621765f});
}

TEST(RegionYolo, Version3OfTheNetwork) {
  expect_near(run_op("RegionYolo", 1,
                     {{"axis", "1"},
                      {"end_axis", "3"},
                      {"coords", "4"},
                      {"classes", "2"},
                      {"num", "5"},
                      {"do_softmax", "false"},
                      {"mask", "0, 1"}},
                     {predictions()})[0],
              {1, 14, 1, 1},
              {0.1824255f, 0.2227001f, -1, -0.75f, 0.3775406f, 0.4378235f, 0.5f, 0.5621765f, 0.6224594f,
               0.75f, 1, 0.7772999f, 0.8175745f, 0.8519528f});
}

// Every place of the map has a softmax of its own, also where there are more of them than are computed
// together.
TEST(RegionYolo, Places) {
  Tensor data(ElementType::kF32, {1, 8, 10, 10});
  for (size_t i = 0; i < data.size(); ++i) data.mutable_data<float>()[i] = static_cast<float>(i * 7 % 13) / 5;
  const auto got = run_op("RegionYolo", 1,
                          {{"classes", "3"}, {"num", "1"}, {"axis", "-3"}, {"end_axis", "-2"}}, {data})[0];
  ASSERT_EQ(to_string(got.shape()), "[1,80,10]");
  for (size_t place = 0; place < 100; ++place) {
    float sum = 0;
    for (size_t c = 0; c < 3; ++c) sum += std::exp(data.data<float>()[(5 + c) * 100 + place]);
    for (size_t c = 0; c < 3; ++c) {
      const size_t i = (5 + c) * 100 + place;
      EXPECT_NEAR(got.data<float>()[i], std::exp(data.data<float>()[i]) / sum, 1e-6f);
    }
  }
}

TEST(RegionYolo, InfersAndRefuses) {
  EXPECT_EQ(infer_shape("RegionYolo", 1, {{"classes", "2"}, {"num", "2"}},
                        {open(ElementType::kF32, {Dimension(), 14, 3, 3})}),
            "[?,126]");
  expect_error(ErrorCode::kInvalidShape, "too few channels for 3 regions of 7",
               [] { run_op("RegionYolo", 1, {{"classes", "2"}, {"num", "3"}}, {predictions()}); });
  expect_error(ErrorCode::kInvalidShape, "too few channels for 3 regions of 9223372036854775807", [] {
    run_op("RegionYolo", 1, {{"classes", "9223372036854775806"}, {"num", "3"}}, {predictions()});
  });
}

}  // namespace
}  // namespace wasmvino::test::region_yolo_test
