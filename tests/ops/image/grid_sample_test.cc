// SPDX-License-Identifier: Apache-2.0
// Values are OpenVINO's.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/float_types.h"
#include "tests/ops/arrays.h"

namespace wasmvino::test::grid_sample_test {
namespace {

Tensor pictures() {
  Tensor data(ElementType::kF32, {1, 1, 3, 4});
  for (size_t i = 0; i < data.size(); ++i) data.mutable_data<float>()[i] = static_cast<float>(i % 7);
  return data;
}

const Tensor kGrid = Tensor::of<float>({1, 1, 3, 2}, {-1, -1, 0, .5f, 1.2f, -.3f});

Tensor sample(const Tensor& data, const Tensor& grid, const std::string& mode, const std::string& padding,
              bool align) {
  return run_op("GridSample", 9,
                {{"mode", mode}, {"padding_mode", padding}, {"align_corners", align ? "true" : "false"}},
                {data, grid})[0];
}

TEST(GridSample, ModesAndPaddings) {
  struct Case {
    const char *mode, *padding;
    std::vector<float> edges, centers;  // without and with align_corners
  };
  const Case cases[] = {
      {"bilinear", "zeros", {0, 3.25f, 0.135f}, {0, 4, 0.63f}},
      {"bilinear", "border", {0, 3.25f, 1.35f}, {0, 4, 0.9f}},
      {"bilinear", "reflection", {0, 3.25f, 1.35f}, {0, 4, 2.07f}},
      {"bicubic", "zeros", {-0.234375f, 3.755737f, 0.07244979f}, {0, 4.999023f, -0.1383403f}},
      {"bicubic", "border", {-0.46875f, 3.492065f, 0.898709f}, {0, 4.764648f, -0.1352672f}},
      {"bicubic", "reflection", {-0.9375f, 3.492065f, 0.6795249f}, {0, 4.421875f, 1.342351f}},
      {"nearest", "zeros", {0, 3, 0}, {0, 3, 0}},
      {"nearest", "border", {0, 3, 0}, {0, 3, 0}},
      {"nearest", "reflection", {0, 3, 0}, {0, 3, 0}},
  };
  for (const Case& t : cases) {
    SCOPED_TRACE(testing::Message() << t.mode << ' ' << t.padding);
    expect_near(sample(pictures(), kGrid, t.mode, t.padding, false), {1, 1, 1, 3}, t.edges);
    expect_near(sample(pictures(), kGrid, t.mode, t.padding, true), {1, 1, 1, 3}, t.centers);
  }
}

// More points than are computed together, several channels and pictures: each point by itself gives the same.
TEST(GridSample, PointsAreIndependent) {
  Tensor data(ElementType::kF32, {2, 3, 5, 4}), grid(ElementType::kF32, {2, 9, 11, 2});
  for (size_t i = 0; i < data.size(); ++i) data.mutable_data<float>()[i] = static_cast<float>(i * 5 % 17);
  for (size_t i = 0; i < grid.size(); ++i)
    grid.mutable_data<float>()[i] = static_cast<float>(i * 7 % 31) / 12 - 1.3f;
  const Tensor all = sample(data, grid, "bilinear", "border", false);
  for (int64_t n = 0; n < 2; ++n) {
    const Tensor picture = Tensor::of<float>({1, 3, 5, 4}, data.data<float>() + n * 60);
    for (size_t point = 0; point < 99; ++point) {
      const Tensor place =
          Tensor::of<float>({1, 1, 1, 2}, grid.data<float>() + (static_cast<size_t>(n) * 99 + point) * 2);
      const Tensor one = sample(picture, place, "bilinear", "border", false);
      for (size_t c = 0; c < 3; ++c) {
        EXPECT_EQ(all.data<float>()[(static_cast<size_t>(n) * 3 + c) * 99 + point], one.data<float>()[c]);
      }
    }
  }
}

// The element at whole coordinates, by the definition of the paddings.
float element_at(const Tensor& picture, int64_t y, int64_t x, const std::string& padding, bool align) {
  const int64_t sizes[2] = {picture.shape()[2], picture.shape()[3]};
  int64_t at[2] = {y, x};
  for (size_t i = 0; i < 2; ++i) {
    if (padding == "zeros" && (at[i] < 0 || at[i] >= sizes[i])) return 0;
    if (padding == "border") at[i] = std::clamp<int64_t>(at[i], 0, sizes[i] - 1);
    while (at[i] < 0 || at[i] >= sizes[i]) {
      if (align && sizes[i] == 1) at[i] = 0;
      if (at[i] < 0) at[i] = align ? -at[i] : -1 - at[i];
      if (at[i] >= sizes[i]) at[i] = 2 * sizes[i] - (align ? 2 : 1) - at[i];
    }
  }
  return picture.data<float>()[at[0] * sizes[1] + at[1]];
}

TEST(GridSample, BilinearSamplesByDefinition) {
  for (const int64_t width : {1, 2, 3, 6}) {
    Tensor picture(ElementType::kF32, {1, 1, 4, width}), grid(ElementType::kF32, {1, 1, 70, 2});
    for (size_t i = 0; i < picture.size(); ++i)
      picture.mutable_data<float>()[i] = static_cast<float>(i * 5 % 17) - 3;
    for (size_t i = 0; i < grid.size(); ++i)
      grid.mutable_data<float>()[i] = static_cast<float>(i * 29 % 97) / 20 - 2.4f;
    for (const char* padding : {"zeros", "border", "reflection"}) {
      for (const bool align : {false, true}) {
        const Tensor y = sample(picture, grid, "bilinear", padding, align);
        for (size_t i = 0; i < 70; ++i) {
          float at[2];
          for (size_t axis = 0; axis < 2; ++axis) {
            const float place = grid.data<float>()[2 * i + 1 - axis];
            const float size = static_cast<float>(picture.shape()[2 + axis]);
            at[axis] = align ? (place + 1) * (size - 1) / 2 : ((place + 1) * size - 1) / 2;
          }
          float expected = 0;
          for (int64_t dy = 0; dy < 2; ++dy) {
            for (int64_t dx = 0; dx < 2; ++dx) {
              const float row = std::floor(at[0]), column = std::floor(at[1]);
              const float weight =
                  (dy == 0 ? row + 1 - at[0] : at[0] - row) * (dx == 0 ? column + 1 - at[1] : at[1] - column);
              expected += weight * element_at(picture, static_cast<int64_t>(row) + dy,
                                              static_cast<int64_t>(column) + dx, padding, align);
            }
          }
          EXPECT_NEAR(y.data<float>()[i], expected, 2e-5f) << width << ' ' << padding << align << ' ' << i;
        }
      }
    }
  }
}

TEST(GridSample, FarAway) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor grid = Tensor::of<float>({1, 1, 3, 2}, {inf, 0, 1e30f, 0, nan, nan});
  expect_near(sample(pictures(), grid, "nearest", "zeros", false), {1, 1, 1, 3}, {0, 0, 0});
  expect_near(sample(pictures(), grid, "nearest", "border", false), {1, 1, 1, 3}, {0, 0, 0});
}

// An element beside the border is not read, not even with a weight of 0.
TEST(GridSample, InfinitiesBesideTheBorder) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const Tensor picture = Tensor::of<float>({1, 1, 1, 4}, {0, 0, kInf, 5});
  const Tensor grid = Tensor::of<float>({1, 1, 2, 2}, {1, 0, 1.5f, 0});
  EXPECT_EQ(text_of(sample(picture, grid, "bilinear", "border", true)), "[1,1,1,2] 5 5");
}

// The largest i64 is no float: the sample, 2^63, would not fit.
TEST(GridSample, LargestIntegers) {
  const Tensor most = Tensor::of<int64_t>({1, 1, 1, 1}, {std::numeric_limits<int64_t>::max()});
  const Tensor y = sample(most, Tensor::of<float>({1, 1, 1, 2}, {0, 0}), "nearest", "border", true);
  EXPECT_EQ(y.data<int64_t>()[0], std::numeric_limits<int64_t>::max());
}

TEST(GridSample, OtherTypes) {
  const Tensor integers = Tensor::of<int32_t>({1, 1, 1, 2}, {-3, 8});
  const Tensor middle = Tensor::of<Float16>({1, 1, 1, 2}, {Float16(0.f), Float16(0.f)});
  EXPECT_EQ(text_of(sample(integers, middle, "bilinear", "border", true)), "[1,1,1,1] 2");
  // OpenVINO rounds 8 bits to nearest, halves to even, and truncates wider integers.
  const auto middles = [&]<typename T>() {
    const Tensor grid = Tensor::of<float>({1, 1, 3, 2}, {0, -1, 0, 0, 0.2f, 1});
    return text_of(sample(Tensor::of<T>({1, 1, 2, 2}, {3, 4, 0, 2}), grid, "bilinear", "border", true));
  };
  EXPECT_EQ(middles.operator()<uint8_t>(), "[1,1,1,3] 4 2 1");
  EXPECT_EQ(middles.operator()<int8_t>(), "[1,1,1,3] 4 2 1");
  EXPECT_EQ(middles.operator()<int32_t>(), "[1,1,1,3] 3 2 1");
  const Tensor halves = Tensor::of<Float16>({1, 1, 1, 2}, {Float16(-3.f), Float16(8.f)});
  EXPECT_EQ(text_of(sample(halves, middle, "bilinear", "border", true)), "[1,1,1,1] 2.5");
}

TEST(GridSample, InfersAndRefuses) {
  EXPECT_EQ(infer_shape("GridSample", 9, {},
                        {open(ElementType::kF32, {Dimension(), 3, 5, 4}),
                         open(ElementType::kF32, {2, 7, Dimension(), 2})}),
            "[2,3,7,?]");
  expect_error(ErrorCode::kInvalidShape, "axis 3 of grid [1,1,1,3] is 3",
               [] { run_op("GridSample", 9, {}, {pictures(), Tensor(ElementType::kF32, {1, 1, 1, 3})}); });
  expect_error(ErrorCode::kInvalidShape, "has no elements to sample",
               [] { run_op("GridSample", 9, {}, {Tensor(ElementType::kF32, {1, 1, 0, 2}), kGrid}); });
}

}  // namespace
}  // namespace wasmvino::test::grid_sample_test
