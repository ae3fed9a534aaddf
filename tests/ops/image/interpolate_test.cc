// SPDX-License-Identifier: Apache-2.0
// Values are OpenVINO's.
#include <algorithm>
#include <cmath>

#include "core/float_types.h"
#include "tests/ops/arrays.h"
#include "tests/ops/open_inputs.h"

namespace wasmvino::test::interpolate_test {
namespace {

using Attributes = model::AttributeTexts;

Tensor waves(const Shape& shape) {
  Tensor tensor(ElementType::kF32, shape);
  for (size_t i = 0; i < tensor.size(); ++i) {
    tensor.mutable_data<float>()[i] = 3.0f * std::sin(1.7f * static_cast<float>(i));
  }
  return tensor;
}

Attributes attributes(const std::string& mode, Attributes more = {}) {
  more.emplace_back("mode", mode);
  return more;
}

Tensor resize(const Tensor& image, const Tensor& target, const Tensor& axes, const Attributes& attributes) {
  return run_op("Interpolate", 11, attributes, {image, target, axes})[0];
}

std::string texts(const Tensor& tensor) {
  const std::string text = text_of(tensor);
  return text.substr(text.find(' ') + 1);
}

TEST(Interpolate, NearestElements) {
  struct Case {
    const char *coordinates, *nearest, *wider, *narrower;
  };
  const Case cases[] = {
      {"half_pixel", "round_prefer_floor", "0 0 1 2 2 3 4 4", "0 2 4"},
      {"half_pixel", "floor", "0 0 1 1 2 2 3 4", "0 2 3"},
      {"half_pixel", "ceil", "0 1 2 2 3 3 4 4", "1 2 4"},
      {"half_pixel", "simple", "0 0 1 1 2 2 3 4", "1 2 4"},
      {"pytorch_half_pixel", "round_prefer_floor", "0 0 1 2 2 3 4 4", "0 2 4"},
      {"asymmetric", "round_prefer_floor", "0 1 1 2 2 3 4 4", "0 2 3"},
      {"asymmetric", "round_prefer_ceil", "0 1 1 2 3 3 4 4", "0 2 3"},
      {"asymmetric", "floor", "0 0 1 1 2 3 3 4", "0 1 3"},
      {"asymmetric", "simple", "0 0 1 1 2 3 3 4", "0 2 4"},
      {"tf_half_pixel_for_nn", "round_prefer_floor", "0 1 2 2 3 3 4 4", "1 2 4"},
      {"tf_half_pixel_for_nn", "round_prefer_ceil", "0 1 2 2 3 3 4 4", "1 3 4"},
      {"tf_half_pixel_for_nn", "ceil", "1 1 2 3 3 4 4 4", "1 3 4"},
      {"align_corners", "round_prefer_floor", "0 1 1 2 2 3 3 4", "0 2 4"},
      {"align_corners", "ceil", "0 1 2 2 3 3 4 4", "0 2 4"},
  };
  for (const Case& t : cases) {
    SCOPED_TRACE(testing::Message() << t.coordinates << ' ' << t.nearest);
    const Attributes with = attributes(
        "nearest", {{"coordinate_transformation_mode", t.coordinates}, {"nearest_mode", t.nearest}});
    EXPECT_EQ(texts(resize(iota({5}), i64s({8}), i64s({0}), with)), t.wider);
    EXPECT_EQ(texts(resize(iota<int16_t>({5}), i64s({3}), i64s({0}), with)), t.narrower);
  }
}

TEST(Interpolate, Modes) {
  const Tensor image = Tensor::of<float>({3, 4}, {3, -1, 4, 1, -5, 9, 2, -6, 5, 3, -5, 8});
  struct Case {
    Attributes attributes;
    Tensor sizes;
    std::vector<float> expected;
  };
  const Attributes keys = {{"cube_coeff", "-0.5"}};
  const Case cases[] = {
      {attributes("linear_onnx"),
       i64s({2, 5}),
       {1, 1.35f, 2.5f, 2.225f, -0.75f, 2.5f, 3.9f, 0.625f, -0.925f, 4.5f}},
      {attributes("linear"), i64s({4, 2}), {1, 2.5f, 1.625f, -0.3125f, 2.75f, -0.6875f, 4, 1.5f}},
      {attributes("linear", {{"antialias", "true"}}),
       i64s({2, 5}),
       {0, 2.291667f, 3, 2.4375f, -1.625f, 1.25f, 4.583334f, 1.4375f, -1.520834f, 2.75f}},
      {attributes("linear", {{"antialias", "true"}}),
       i64s({4, 2}),
       {1.428571f, 2, 1.857143f, 0.1785714f, 2.178571f, 0.1071428f, 2.714286f, 1.714286f}},
      {attributes("cubic"),
       i64s({2, 5}),
       {0.7970195f, 1.042444f, 3.151489f, 2.689317f, -1.374044f, 2.315963f, 4.984541f, 0.06872559f,
        -2.137382f, 5.072065f}},
      {attributes("cubic", keys),
       i64s({4, 2}),
       {0.6037598f, 3.063721f, 1.681458f, -0.8743286f, 3.278687f, -1.633667f, 4.598694f, 1.16449f}},
      {attributes("bilinear_pillow"),
       i64s({2, 5}),
       {0, 1.925f, 3, 1.7875f, -1.625f, 1.25f, 4.05f, 1.4375f, -0.8375f, 2.75f}},
      {attributes("bicubic_pillow", keys),
       i64s({4, 2}),
       {1.310503f, 2.199488f, 1.91407f, 0.2634965f, 2.5407f, 0.03629722f, 2.797552f, 1.660324f}},
  };
  for (const Case& t : cases) {
    SCOPED_TRACE(t.attributes.back().second);
    const Shape shape = {t.sizes.data<int64_t>()[0], t.sizes.data<int64_t>()[1]};
    expect_near(resize(image, t.sizes, i64s({0, 1}), t.attributes), shape, t.expected, 1e-5f);
  }
}

// What is resized along several axes at once is what is resized along one after the other.
TEST(Interpolate, AxesAreIndependent) {
  const Tensor image = waves({2, 5, 3, 6, 4});
  for (const char* mode : {"linear", "linear_onnx", "cubic", "nearest"}) {
    SCOPED_TRACE(mode);
    for (const Ints& axes : {Ints{1, 3, 4}, Ints{0, 3}, Ints{1, 2}, Ints{4}, Ints{2, 1, 0}}) {
      Tensor sizes(ElementType::kI64, {static_cast<int64_t>(axes.size())});
      Tensor step_by_step = image;
      for (size_t i = 0; i < axes.size(); ++i) {
        const int64_t size = sizes.mutable_data<int64_t>()[i] = 7 - axes[i];
        step_by_step = resize(step_by_step, i64s({size}), i64s({axes[i]}), attributes(mode));
      }
      const Tensor whole = run_op_open(
          "Interpolate", 11, attributes(mode),
          {image, sizes, Tensor::of({static_cast<int64_t>(axes.size())}, axes.data())}, 1, {1, 2}, 3)[0];
      const float* values = step_by_step.data<float>();
      expect_near(whole, step_by_step.shape(), {values, values + step_by_step.size()}, 1e-5f);
    }
  }
}

TEST(Interpolate, PadsAreZeros) {
  const Tensor image = waves({2, 3, 4});
  Tensor padded(ElementType::kF32, {2, 4, 7});
  std::fill_n(padded.mutable_data<float>(), padded.size(), 0.0f);
  for (size_t row = 0; row < 6; ++row) {
    std::copy_n(image.data<float>() + row * 4, 4,
                padded.mutable_data<float>() + (row / 3 * 4 + row % 3) * 7 + 2);
  }
  for (const char* mode : {"nearest", "linear", "linear_onnx", "cubic", "bicubic_pillow"}) {
    SCOPED_TRACE(mode);
    const Attributes pads = attributes(mode, {{"pads_begin", "0, 0, 2"}, {"pads_end", "0, 1, 1"}});
    for (const Tensor& sizes : {i64s({3, 4}), i64s({8, 5}), i64s({4, 7})}) {
      const Tensor expected = resize(padded, sizes, i64s({1, 2}), attributes(mode));
      const float* values = expected.data<float>();
      expect_near(resize(image, sizes, i64s({1, 2}), pads), expected.shape(),
                  {values, values + expected.size()}, 1e-5f);
    }
  }
}

TEST(Interpolate, ScalesGiveShapesAndCoordinates) {
  const Attributes by_scales = attributes(
      "linear", {{"shape_calculation_mode", "scales"}, {"coordinate_transformation_mode", "asymmetric"}});
  // 10 * 0.7 is 7, whatever the rounding.
  const Tensor got = resize(iota({10}), Tensor::of<float>({1}, {0.7f}), i64s({0}), by_scales);
  expect_near(got, {7}, {0, 1.428571f, 2.857143f, 4.285714f, 5.714286f, 7.142857f, 8.571428f}, 1e-5f);
  // Version 4 has sizes and scales; only one of them counts.
  const auto old = run_op("Interpolate", 4, by_scales,
                          {iota({10}), i64s({99}), Tensor::of<float>({1}, {0.5f}), i64s({0})});
  expect_near(old[0], {5}, {0, 2, 4, 6, 8});
}

TEST(Interpolate, Version1) {
  const auto run = [](const std::string& mode, const std::string& align, const Shape& shape) {
    const bool picture = shape.size() == 4;
    return run_op("Interpolate", 1,
                  {{"mode", mode}, {"axes", picture ? "2, 3" : "2"}, {"align_corners", align}},
                  {iota(shape), picture ? i64s({1, 4}) : i64s({4})})[0];
  };
  // Pictures begin at the corner of the first element, lines in its middle.
  expect_near(run("linear", "false", {1, 1, 1, 2}), {1, 1, 1, 4}, {0, 0.5f, 1, 1});
  expect_near(run("linear", "false", {1, 1, 2}), {1, 1, 4}, {0, 0.25f, 0.75f, 1});
  expect_near(run("linear", "true", {1, 1, 2}), {1, 1, 4}, {0, 1.0f / 3, 2.0f / 3, 1});
  EXPECT_EQ(text_of(run("nearest", "false", {1, 1, 1, 2})), "[1,1,1,4] 0 0 1 1");
}

TEST(Interpolate, OtherTypes) {
  // Integers are rounded, ties to even, and saturated.
  EXPECT_EQ(
      texts(resize(Tensor::of<uint8_t>({2}, {10, 13}), i64s({4}), i64s({0}), attributes("linear_onnx"))),
      "10 11 12 13");
  EXPECT_EQ(texts(resize(Tensor::of<int8_t>({2}, {0, 1}), i64s({3}), i64s({0}), attributes("linear"))),
            "0 0 1");
  EXPECT_EQ(
      texts(resize(Tensor::of<uint8_t>({4}, {255, 255, 0, 0}), i64s({8}), i64s({0}), attributes("cubic"))),
      "255 255 255 197 58 0 0 0");
  // OpenVINO rounds halves to even, and 8 bits of four axes after each axis.
  const auto pillow = [&]<typename T>() {
    Tensor data(ElementTypeOf<T>::value, {1, 1, 3, 4});
    const int values[] = {168, 15, 237, 72, 22, 43, 210, 75, 104, 7, 162, 177};
    std::copy(std::begin(values), std::end(values), data.mutable_data<T>());
    return texts(
        run_op("Interpolate", 11, {{"mode", "bilinear_pillow"}}, {data, i64s({5, 3}), i64s({2, 3})})[0]);
  };
  EXPECT_EQ(pillow.operator()<uint8_t>(), "122 126 122 84 126 120 28 126 116 56 101 150 75 84 172");
  EXPECT_EQ(pillow.operator()<int32_t>(), "122 126 122 85 126 119 28 126 116 56 101 150 75 84 172");
  // The coefficient is Pillow's, whatever the attribute.
  EXPECT_EQ(texts(run_op("Interpolate", 11, {{"mode", "bicubic_pillow"}, {"cube_coeff", "-0.75"}},
                         {Tensor::of<float>({1, 4}, {1, 2, 4, 3}), i64s({1, 3}), i64s({0, 1})})[0]),
            texts(run_op("Interpolate", 11, {{"mode", "bicubic_pillow"}, {"cube_coeff", "-0.5"}},
                         {Tensor::of<float>({1, 4}, {1, 2, 4, 3}), i64s({1, 3}), i64s({0, 1})})[0]));
  EXPECT_EQ(texts(run_op("Interpolate", 11, {{"mode", "bilinear_pillow"}},
                         {Tensor::of<int32_t>({2, 1}, {-2, -3}), i64s({1, 1}), i64s({0, 1})})[0]),
            "-2");
  const Tensor half = resize(Tensor::of<Float16>({2}, {Float16(1.0f), Float16(2.0f)}), i64s({4}), i64s({0}),
                             attributes("linear"));
  EXPECT_EQ(texts(half), "1 1.25 1.75 2");
}

// Elements of every type are resized as f32; integers are rounded.
TEST(Interpolate, EveryType) {
  const Shape shape = {2, 3, 5, 4};
  Tensor image(ElementType::kF32, shape);
  for (size_t i = 0; i < image.size(); ++i) image.mutable_data<float>()[i] = static_cast<float>(i * 29 % 101);
  for (const Ints& axes : {Ints{2, 3}, Ints{1}, Ints{3}, Ints{0, 2}}) {
    const Tensor axes_input = Tensor::of({static_cast<int64_t>(axes.size())}, axes.data());
    const Tensor sizes = axes.size() == 1 ? i64s({7}) : i64s({7, 3});
    const auto expected = to_doubles(resize(image, sizes, axes_input, attributes("linear")).view());
    for (const char* type : {"u8", "i8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "bf16", "f64"}) {
      SCOPED_TRACE(testing::Message() << type << ' ' << to_string(axes));
      const Tensor typed = run_op("Convert", 1, {{"destination_type", type}}, {image})[0];
      const Tensor got =
          run_op_open("Interpolate", 11, attributes("linear"), {typed, sizes, axes_input}, 1, {1, 2}, 3)[0];
      ASSERT_EQ(name(got.type()), type);
      const auto values = to_doubles(got.view());
      ASSERT_EQ(values.size(), expected.size());
      for (size_t i = 0; i < values.size(); ++i) {
        const double wanted = is_real(got.type()) ? expected[i] : std::nearbyint(expected[i]);
        EXPECT_NEAR(values[i], wanted, is_real(got.type()) ? 0.3 : 0.0) << i;
      }
    }
  }
}

// The table of an axis must not be made when another one is empty.
// 32 bits have no place for more elements along the other axes.
TEST(Interpolate, MakesNothingOfNoElements) {
  const Tensor target = Tensor::of<int64_t>({2}, {0, 100000000}), axes = Tensor::of<int64_t>({2}, {2, 3});
  for (const char* mode : {"nearest", "linear", "linear_onnx", "cubic"}) {
    EXPECT_EQ(to_string(resize(waves({1, 2, 4, 5}), target, axes, attributes(mode)).shape()),
              "[1,2,0,100000000]");
  }
}

TEST(Interpolate, Infers) {
  const auto image = open(ElementType::kF32, {1, 3, Dimension(), 4});
  const auto known = [](const Tensor& tensor) { return model::ValueInfo::of(tensor); };
  EXPECT_EQ(infer_shape("Interpolate", 11, attributes("nearest"),
                        {image, known(i64s({6, 7})), known(i64s({2, 3}))}),
            "[1,3,6,7]");
  EXPECT_EQ(infer_shape("Interpolate", 11, attributes("nearest"),
                        {image, open(ElementType::kI64, {2}), known(i64s({2, 3}))}),
            "[1,3,?,?]");
  EXPECT_EQ(infer_shape("Interpolate", 11, attributes("nearest", {{"shape_calculation_mode", "scales"}}),
                        {image, known(Tensor::of<float>({2}, {2, 0.5f})), known(i64s({2, 3}))}),
            "[1,3,?,2]");
  EXPECT_EQ(infer_shape("Interpolate", 11, attributes("nearest"),
                        {image, known(i64s({6, 7})), open(ElementType::kI64, {2})}),
            "[?,?,?,?]");
}

TEST(Interpolate, Refuses) {
  const auto run = [](const Tensor& sizes, const Tensor& axes, const Attributes& with) {
    return [=] { resize(iota({2, 3}), sizes, axes, with); };
  };
  expect_error(ErrorCode::kInvalidValue, "axis 1 occurs twice",
               run(i64s({2, 2}), i64s({1, 1}), attributes("cubic")));
  expect_error(ErrorCode::kInvalidValue, "axes is 2, outside -2..1",
               run(i64s({2}), i64s({2}), attributes("cubic")));
  expect_error(ErrorCode::kInvalidShape, "sizes has 1 elements for 2 axes",
               run(i64s({2}), i64s({0, 1}), attributes("cubic")));
  expect_error(ErrorCode::kInvalidValue, "sizes[0] is -1", run(i64s({-1}), i64s({0}), attributes("cubic")));
  expect_error(ErrorCode::kInvalidValue, "the Pillow modes resize 2 axes, got 1",
               run(i64s({2}), i64s({0}), attributes("bilinear_pillow")));
  const std::string far = "9223372036854775807";
  expect_error(ErrorCode::kInvalidModel, "a pad is " + far,
               run(i64s({2}), i64s({0}), attributes("nearest", {{"pads_begin", far}})));
  expect_error(ErrorCode::kInvalidShape, "would get " + far,
               run(i64s({9223372036854775807}), i64s({0}), attributes("nearest")));
  expect_error(ErrorCode::kInvalidValue, "scales[0] is -1",
               run(Tensor::of<float>({1}, {-1}), i64s({0}),
                   attributes("cubic", {{"shape_calculation_mode", "scales"}})));
  expect_error(ErrorCode::kInvalidModel, "'mode' is 'area'", run(i64s({2}), i64s({0}), attributes("area")));
  expect_error(ErrorCode::kInvalidShape, "image [] has 0 axes, but pad 0 is 1", [&] {
    run_op("Interpolate", 4, attributes("cubic", {{"pads_begin", "1"}}),
           {Tensor::scalar(1.0f), i64s({}), Tensor::of<float>({0}, {}), i64s({})});
  });
  expect_error(ErrorCode::kInvalidModel, "a pad is -1",
               run(i64s({2}), i64s({0}), attributes("cubic", {{"pads_begin", "-1"}})));
}

}  // namespace
}  // namespace wasmvino::test::interpolate_test
