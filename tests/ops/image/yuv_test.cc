// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"
#include "../open_inputs.h"
#include "core/float_types.h"

namespace wasmvino::test::yuv_test {
namespace {

constexpr size_t kPictures = 2, kHeight = 4, kWidth = 6;

// Element (picture, row, column) of a plane.
double element(char plane, size_t picture, size_t row, size_t column) {
  const size_t seed = plane == 'Y' ? 0 : plane == 'U' ? 5 : 11;
  return static_cast<double>((seed + 97 * picture + 41 * row + 29 * column) % 256);
}

template <typename T>
Tensor plane(const std::string& channels, size_t height, size_t width) {
  Tensor tensor(ElementTypeOf<T>::value,
                {static_cast<int64_t>(kPictures), static_cast<int64_t>(height), static_cast<int64_t>(width),
                 static_cast<int64_t>(channels.size())});
  T* to = tensor.mutable_data<T>();
  for (size_t n = 0; n < kPictures; ++n) {
    for (size_t i = 0; i < height; ++i) {
      for (size_t j = 0; j < width; ++j) {
        for (const char channel : channels) *to++ = static_cast<T>(element(channel, n, i, j));
      }
    }
  }
  return tensor;
}

// The planes of each picture one after the other.
template <typename T>
Tensor together(const std::vector<Tensor>& planes) {
  Tensor tensor(ElementTypeOf<T>::value, {kPictures, kHeight * 3 / 2, kWidth, 1});
  T* to = tensor.mutable_data<T>();
  for (size_t n = 0; n < kPictures; ++n) {
    for (const Tensor& part : planes) {
      const size_t size = part.size() / kPictures;
      to = std::copy_n(part.data<T>() + n * size, size, to);
    }
  }
  return tensor;
}

template <typename T>
void expect_picture(const Tensor& got, bool is_bgr) {
  ASSERT_EQ(name(got.type()), name(ElementTypeOf<T>::value));
  ASSERT_EQ(to_string(got.shape()), "[2,4,6,3]");
  const T* pixel = got.data<T>();
  for (size_t n = 0; n < kPictures; ++n) {
    for (size_t i = 0; i < kHeight; ++i) {
      for (size_t j = 0; j < kWidth; ++j, pixel += 3) {
        const double y = 1.164 * (element('Y', n, i, j) - 16);
        const double u = element('U', n, i / 2, j / 2) - 128, v = element('V', n, i / 2, j / 2) - 128;
        const double rgb[] = {y + 1.596 * v, y - 0.813 * v - 0.391 * u, y + 2.018 * u};
        for (size_t c = 0; c < 3; ++c) {
          const double wanted = std::clamp(rgb[is_bgr ? 2 - c : c], 0.0, 255.0);
          EXPECT_NEAR(static_cast<double>(pixel[c]), wanted, std::is_integral_v<T> ? 0.501 : 1e-3)
              << n << ", " << i << ", " << j << ", " << c;
        }
      }
    }
  }
}

template <typename T>
void check(const std::string& format, const std::vector<Tensor>& planes) {
  for (const bool is_bgr : {false, true}) {
    const std::string type = format + (is_bgr ? "toBGR" : "toRGB");
    expect_picture<T>(run_op(type, 8, {}, planes)[0], is_bgr);
    expect_picture<T>(run_op(type, 8, {}, {together<T>(planes)})[0], is_bgr);
  }
}

TEST(Nv12ToRgb, Converts) {
  check<uint8_t>("NV12", {plane<uint8_t>("Y", 4, 6), plane<uint8_t>("UV", 2, 3)});
  check<float>("NV12", {plane<float>("Y", 4, 6), plane<float>("UV", 2, 3)});
  check<double>("NV12", {plane<double>("Y", 4, 6), plane<double>("UV", 2, 3)});
}

TEST(I420ToRgb, Converts) {
  check<uint8_t>("I420", {plane<uint8_t>("Y", 4, 6), plane<uint8_t>("U", 2, 3), plane<uint8_t>("V", 2, 3)});
  check<float>("I420", {plane<float>("Y", 4, 6), plane<float>("U", 2, 3), plane<float>("V", 2, 3)});
}

TEST(Nv12ToRgb, SharesRowsAmongThreads) {
  Tensor frame(ElementType::kU8, {1, 192, 256, 1});
  for (size_t i = 0; i < frame.size(); ++i) frame.mutable_data<uint8_t>()[i] = static_cast<uint8_t>(i * 7);
  const Tensor one = run_op_open("NV12toRGB", 8, {}, {frame})[0];
  const Tensor three = run_op_open("NV12toRGB", 8, {}, {frame}, 1, {}, 3)[0];
  EXPECT_TRUE(std::equal(one.data<uint8_t>(), one.data<uint8_t>() + one.size(), three.data<uint8_t>()));
}

TEST(Nv12ToRgb, TakesNoPictures) {
  EXPECT_EQ(text_of(run_op("NV12toRGB", 8, {}, {Tensor(ElementType::kU8, {0, 6, 4, 1})})[0]), "[0,4,4,3]");
  EXPECT_EQ(text_of(run_op("I420toBGR", 8, {}, {Tensor(ElementType::kF16, {1, 0, 4, 1})})[0]), "[1,0,4,3]");
}

TEST(Nv12ToRgb, InfersShapes) {
  const auto u8 = [](PartialShape shape) { return open(ElementType::kU8, std::move(shape)); };
  EXPECT_EQ(infer_shape("NV12toRGB", 8, {}, {u8({Dimension(), 6, Dimension(), 1})}), "[?,4,?,3]");
  EXPECT_EQ(infer_shape("NV12toRGB", 8, {}, {u8(PartialShape())}), "[?,?,?,3]");
  EXPECT_EQ(
      infer_shape("NV12toRGB", 8, {}, {u8({Dimension(), Dimension(), 8, 1}), u8({1, 3, Dimension(), 2})}),
      "[1,6,8,3]");
  EXPECT_EQ(infer_shape("I420toRGB", 8, {}, {u8(PartialShape()), u8({1, 3, 4, 1}), u8(PartialShape())}),
            "[1,6,8,3]");
}

TEST(Nv12ToRgb, Refuses) {
  const auto run = [](const char* type, const std::vector<Shape>& shapes,
                      ElementType element_type = ElementType::kU8) {
    std::vector<Tensor> inputs;
    for (const Shape& shape : shapes) inputs.emplace_back(element_type, shape);
    run_op(type, 8, {}, inputs);
  };
  expect_error(ErrorCode::kInvalidShape, "height is not divisible by 3",
               [&] { run("NV12toRGB", {{1, 5, 4, 1}}); });
  expect_error(ErrorCode::kInvalidShape, "width 3, expected an even number",
               [&] { run("NV12toRGB", {{1, 6, 3, 1}}); });
  expect_error(ErrorCode::kInvalidShape, "Y has shape [1,6,4,2], expected 1 channel",
               [&] { run("NV12toRGB", {{1, 6, 4, 2}}); });
  expect_error(ErrorCode::kInvalidShape, "UV has shape [1,2,2,1], expected 2 channels",
               [&] { run("NV12toRGB", {{1, 4, 4, 1}, {1, 2, 2, 1}}); });
  expect_error(ErrorCode::kInvalidShape,
               "V has shape [2,2,2,1], expected half the height and width of Y [1,4,4,1]",
               [&] { run("I420toRGB", {{1, 4, 4, 1}, {1, 2, 2, 1}, {2, 2, 2, 1}}); });
  expect_error(ErrorCode::kInvalidShape,
               "U has shape [1,2,2,1], expected half the height and width of Y [1,4,5,1]",
               [&] { run("I420toRGB", {{1, 4, 5, 1}, {1, 2, 2, 1}, {1, 2, 2, 1}}); });
  expect_error(ErrorCode::kInvalidShape, "Y", [&] { run("NV12toRGB", {{6, 4, 1}}); });
  expect_error(ErrorCode::kInvalidModel, "input", [&] { run("I420toRGB", {{1, 4, 4, 1}, {1, 2, 2, 1}}); });
  expect_error(ErrorCode::kInvalidType, "i32, expected a floating point type or u8",
               [&] { run("NV12toRGB", {{1, 6, 4, 1}}, ElementType::kI32); });
}

}  // namespace
}  // namespace wasmvino::test::yuv_test
