// SPDX-License-Identifier: Apache-2.0
// OpenVINO's CPU plugin has no kernel for these operations: values come from the formulas in its headers
// (op/util/convert_color_to_nv12_base.hpp), computed with numpy in f64; shapes and errors from OpenVINO.
#include "../arrays.h"
#include "../open_inputs.h"
#include "core/float_types.h"

namespace wasmvino::test::to_nv12_test {
namespace {

// Two pictures of 2x4 pixels.
const std::vector<uint8_t> kRgb = {99,  206, 239, 189, 230, 118, 144, 73,  8,   228, 231, 190,
                                   155, 112, 158, 208, 7,   204, 143, 113, 181, 231, 80,  27,
                                   44,  205, 203, 65,  175, 30,  212, 86,  125, 146, 254, 121,
                                   137, 106, 41,  233, 190, 129, 210, 103, 144, 206, 5,   58};
const std::vector<float> kY = {168.689f, 192.057f, 90.584f,  209.64f,  127.767f, 92.976f,  127.441f, 118.333f,
                               150.522f, 123.845f, 126.078f, 193.396f, 108.651f, 184.283f, 135.994f, 77.146f};
const std::vector<float> kUv = {142.447f,  135.625f, 108.7998f, 156.943f,
                                105.3272f, 111.225f, 115.938f,  163.7785f};

template <typename T>
Tensor picture(bool is_bgr) {
  Tensor tensor(ElementTypeOf<T>::value, {2, 2, 4, 3});
  for (size_t i = 0; i < kRgb.size(); ++i)
    tensor.mutable_data<T>()[is_bgr ? i / 3 * 3 + 2 - i % 3 : i] = static_cast<T>(kRgb[i]);
  return tensor;
}

template <typename T>
void expect_values(const T* got, const float* values, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const float wanted = std::is_integral_v<T> ? std::nearbyint(values[i]) : values[i];
    EXPECT_NEAR(static_cast<float>(got[i]), wanted, std::is_integral_v<T> ? 0.0f : 1e-3f) << i;
  }
}

template <typename T>
void check() {
  for (const bool is_bgr : {false, true}) {
    const std::string type = is_bgr ? "BGRtoNV12" : "RGBtoNV12";
    const std::vector<Tensor> apart = run_op(type, 17, {{"single_plane", "false"}}, {picture<T>(is_bgr)}, 2);
    ASSERT_EQ(to_string(apart[0].shape()), "[2,2,4,1]");
    ASSERT_EQ(to_string(apart[1].shape()), "[2,1,2,2]");
    expect_values(apart[0].data<T>(), kY.data(), 16);
    expect_values(apart[1].data<T>(), kUv.data(), 8);
    const Tensor together = run_op(type, 17, {}, {picture<T>(is_bgr)})[0];
    ASSERT_EQ(to_string(together.shape()), "[2,3,4,1]");
    for (size_t n = 0; n < 2; ++n) {
      expect_values(together.data<T>() + n * 12, kY.data() + n * 8, 8);
      expect_values(together.data<T>() + n * 12 + 8, kUv.data() + n * 4, 4);
    }
  }
}

TEST(ToNv12, Converts) {
  check<uint8_t>();
  check<float>();
  check<double>();
}

TEST(ToNv12, Clips) {
  std::vector<float> bright(12, 300.0f), dark(12, -100.0f);
  expect_near(run_op("RGBtoNV12", 17, {}, {Tensor::of<float>({1, 2, 2, 3}, bright.data())})[0], {1, 3, 2, 1},
              {255, 255, 255, 255, 128, 128});
  expect_near(run_op("RGBtoNV12", 17, {}, {Tensor::of<float>({1, 2, 2, 3}, dark.data())})[0], {1, 3, 2, 1},
              {0, 0, 0, 0, 128, 128});
}

TEST(ToNv12, SharesRowsAmongThreads) {
  Tensor frame(ElementType::kU8, {2, 128, 192, 3});
  for (size_t i = 0; i < frame.size(); ++i)
    frame.mutable_data<uint8_t>()[i] = static_cast<uint8_t>(i * 7 + i / 256);
  const Tensor one = run_op_open("RGBtoNV12", 17, {}, {frame})[0];
  const Tensor three = run_op_open("RGBtoNV12", 17, {}, {frame}, 1, {}, 3)[0];
  EXPECT_TRUE(std::equal(one.data<uint8_t>(), one.data<uint8_t>() + one.size(), three.data<uint8_t>()));
}

TEST(ToNv12, InfersShapes) {
  const auto shapes = [](PartialShape shape, const std::string& single) {
    const auto made = infer_op("BGRtoNV12", 17, {{"single_plane", single}},
                               {open(ElementType::kU8, std::move(shape))}, single == "true" ? 1 : 2);
    return to_string(made[0].shape) + (made.size() > 1 ? to_string(made[1].shape) : "");
  };
  EXPECT_EQ(shapes({1, Dimension(2, 8), Dimension(3, 5), 3}, "true"), "[1,3..12,3..5,1]");
  EXPECT_EQ(shapes({1, Dimension(2, 8), Dimension(3, 5), 3}, "false"), "[1,2..8,3..5,1][1,1..4,2,2]");
  EXPECT_EQ(shapes(PartialShape(), "false"), "[?,?,?,1][?,?,?,2]");
  EXPECT_EQ(shapes({0, 4, 6, 3}, "true"), "[0,6,6,1]");
  EXPECT_EQ(text_of(run_op("RGBtoNV12", 17, {}, {Tensor(ElementType::kF16, {1, 0, 6, 3})})[0]), "[1,0,6,1]");
}

TEST(ToNv12, Refuses) {
  const auto run = [](const Shape& shape, ElementType type = ElementType::kU8) {
    run_op("RGBtoNV12", 17, {}, {Tensor(type, shape)});
  };
  expect_error(ErrorCode::kInvalidShape, "height 5, expected an even number", [&] { run({1, 5, 6, 3}); });
  expect_error(ErrorCode::kInvalidShape, "width 5, expected an even number", [&] { run({1, 4, 5, 3}); });
  expect_error(ErrorCode::kInvalidShape, "expected 3 channels", [&] { run({1, 4, 6, 4}); });
  expect_error(ErrorCode::kInvalidShape, "the picture", [&] { run({4, 6, 3}); });
  expect_error(ErrorCode::kInvalidType, "i32, expected a floating point type or u8",
               [&] { run({1, 4, 6, 3}, ElementType::kI32); });
}

}  // namespace
}  // namespace wasmvino::test::to_nv12_test
