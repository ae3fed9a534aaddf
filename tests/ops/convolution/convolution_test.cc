// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/convolution/convolution_tester.h"

namespace wasmvino::test::convolution_test {
namespace {

model::AttributeTexts plain(const std::string& strides = "1", const std::string& pads_begin = "0",
                            const std::string& pads_end = "0", const std::string& dilations = "1") {
  return {{"strides", strides}, {"pads_begin", pads_begin}, {"pads_end", pads_end}, {"dilations", dilations}};
}

TEST(Convolution, OneAxisByHand) {
  const Tensor data = Tensor::of<float>({1, 1, 5}, {1, 2, 3, 4, 5}),
               filters = Tensor::of<float>({1, 1, 3}, {1, 0, -1});
  expect_tensor<float>(run_op("Convolution", 1, plain(), {data, filters})[0], {1, 1, 3}, {-2, -2, -2});
  expect_tensor<float>(run_op("Convolution", 1, plain("2", "1", "1"), {data, filters})[0], {1, 1, 3},
                       {-2, -2, 4});
  expect_tensor<float>(run_op("Convolution", 1, plain("1", "0", "0", "2"), {data, filters})[0], {1, 1, 1},
                       {-4});
  // Absent attributes: strides and dilations of 1, no pads.
  expect_tensor<float>(run_op("Convolution", 1, {}, {data, filters})[0], {1, 1, 3}, {-2, -2, -2});
}

TEST(Convolution, AutoPad) {
  const Tensor data = Tensor::of<float>({1, 1, 5}, {1, 2, 3, 4, 5}),
               filters = Tensor::of<float>({1, 1, 2}, {1, 10});
  const auto run = [&](const std::string& word, const std::string& strides) {
    // Pads are ignored unless they are explicit.
    return run_op("Convolution", 1,
                  {{"strides", strides}, {"pads_begin", "7"}, {"pads_end", "7"}, {"auto_pad", word}},
                  {data, filters})[0];
  };
  expect_tensor<float>(run("same_upper", "1"), {1, 1, 5}, {21, 32, 43, 54, 5});
  expect_tensor<float>(run("same_lower", "1"), {1, 1, 5}, {10, 21, 32, 43, 54});
  expect_tensor<float>(run("valid", "1"), {1, 1, 4}, {21, 32, 43, 54});
  expect_tensor<float>(run("same_upper", "2"), {1, 1, 3}, {21, 43, 5});
  expect_tensor<float>(run("same_lower", "2"), {1, 1, 3}, {10, 32, 54});
  expect_tensor<float>(run("same_upper", "3"), {1, 1, 2}, {21, 54});
}

// Their pads would not fit 32 bits.
TEST(Convolution, RefusesHugeWindowsWithAutoPad) {
  const Tensor data = random_tensor({1, 1, 5}, 1), filters = random_tensor({1, 1, 3}, 2);
  expect_error(ErrorCode::kInvalidShape, "the window of spatial axis 0 has 600000001 elements", [&] {
    run_op("Convolution", 1, {{"dilations", "300000000"}, {"auto_pad", "same_upper"}}, {data, filters});
  });
}

TEST(Convolution, KernelsStridesDilationsAndPads) {
  for (const int64_t kernel : {1, 2, 3, 5}) {
    for (const int64_t stride : {1, 2, 3}) {
      for (const int64_t dilation : {1, 2}) {
        for (const int64_t pad : {0, 1, 2}) {
          const int64_t room_y = 9 + 2 * pad - (kernel - 1) * dilation - 1;
          const int64_t room_x = 10 + 2 * pad - (kernel - 1) * dilation - 1;
          if (room_y < 0) continue;
          const Convolving c{{2, 3, 9, 10},
                             {5, 3, kernel, kernel},
                             false,
                             {stride, stride},
                             {dilation, dilation},
                             {pad, pad},
                             {room_y / stride + 1, room_x / stride + 1}};
          check_convolution("Convolution", c,
                            {{"pads_begin", text({pad, pad})}, {"pads_end", text({pad, pad})}});
        }
      }
    }
  }
}

TEST(Convolution, ChannelsAndAxes) {
  for (const int64_t in : {1, 4, 9, 70}) {
    for (const int64_t out : {1, 8, 19}) {
      check_convolution("Convolution",
                        {{1, in, 6, 7}, {out, in, 3, 3}, false, {1, 1}, {1, 1}, {1, 1}, {6, 7}},
                        {{"pads_begin", "1,1"}, {"pads_end", "1,1"}});
      check_convolution("Convolution",
                        {{3, in, 5, 4}, {out, in, 1, 1}, false, {1, 1}, {1, 1}, {0, 0}, {5, 4}});
      check_convolution("Convolution",
                        {{2, in, 3, 3}, {out, in, 3, 3}, false, {1, 1}, {1, 1}, {0, 0}, {1, 1}});
    }
  }
  check_convolution("Convolution", {{2, 3, 40}, {7, 3, 5}, false, {2}, {2}, {1}, {17}},
                    {{"pads_begin", "1"}, {"pads_end", "0"}});
  check_convolution("Convolution",
                    {{1, 2, 5, 6, 7}, {6, 2, 2, 3, 2}, false, {1, 2, 2}, {2, 1, 1}, {1, 0, 1}, {4, 2, 4}},
                    {{"pads_begin", "1,0,1"}, {"pads_end", "0,0,0"}});
}

// Large enough to be cut among threads and into several blocks of pixels.
TEST(Convolution, ManyPixels) {
  check_convolution("Convolution", {{2, 16, 40, 41}, {48, 16, 3, 3}, false, {1, 1}, {1, 1}, {1, 1}, {40, 41}},
                    {{"pads_begin", "1,1"}, {"pads_end", "1,1"}});
  check_convolution("Convolution",
                    {{2, 32, 33, 30}, {40, 32, 1, 1}, false, {1, 1}, {1, 1}, {0, 0}, {33, 30}});
  check_convolution("Convolution", {{1, 300, 2, 2}, {600, 300, 2, 2}, false, {1, 1}, {1, 1}, {0, 0}, {1, 1}});
}

TEST(Convolution, ElementTypes) {
  const auto run = [](const Tensor& data, const Tensor& filters) {
    return run_op("Convolution", 1, plain(), {data, filters})[0];
  };
  expect_tensor<int32_t>(
      run(Tensor::of<int32_t>({1, 1, 4}, {1, -2, 3, 4}), Tensor::of<int32_t>({1, 1, 2}, {3, 5})), {1, 1, 3},
      {-7, 9, 29});
  expect_tensor<int64_t>(run(Tensor::of<int64_t>({1, 2, 2}, {int64_t{1} << 40, 1, 2, 3}),
                             Tensor::of<int64_t>({1, 2, 1}, {4, 1})),
                         {1, 1, 2}, {(int64_t{4} << 40) + 2, 7});
  expect_tensor<int8_t>(
      run(Tensor::of<int8_t>({1, 1, 3}, {100, 100, -100}), Tensor::of<int8_t>({1, 1, 1}, {2})), {1, 1, 3},
      {127, 127, -128});
  expect_tensor<uint8_t>(run(Tensor::of<uint8_t>({1, 1, 2}, {200, 3}), Tensor::of<uint8_t>({1, 1, 1}, {2})),
                         {1, 1, 2}, {255, 6});
  expect_tensor<double>(
      run(Tensor::of<double>({1, 1, 3}, {1, 2, 4}), Tensor::of<double>({1, 1, 2}, {0.5, 0.25})), {1, 1, 2},
      {1, 2});
  for (const ElementType type : {ElementType::kF16, ElementType::kBf16}) {
    const auto convert = [&](const Tensor& t) {
      return run_op("Convert", 1, {{"destination_type", std::string(name(type))}}, {t})[0];
    };
    const Tensor got = run(convert(Tensor::of<float>({1, 2, 3}, {1, 2, 3, -1, 0.5f, 4})),
                           convert(Tensor::of<float>({1, 2, 2}, {2, 1, 4, -2})));
    EXPECT_EQ(name(got.type()), name(type));
    EXPECT_EQ(text_of(got), "[1,1,2] -1 1");
  }
}

TEST(Convolution, NoPictures) {
  const Tensor got = run_op("Convolution", 1, plain(),
                            {Tensor(ElementType::kF32, {0, 2, 5}), random_tensor({3, 2, 3}, 1)})[0];
  EXPECT_EQ(to_string(got.shape()), "[0,3,3]");
}

TEST(Convolution, OpenShapes) {
  const auto shape = [](const PartialShape& data, const PartialShape& filters,
                        const model::AttributeTexts& attributes = {}) {
    return infer_shape("Convolution", 1, attributes,
                       {open(ElementType::kF32, data), open(ElementType::kF32, filters)});
  };
  const Dimension any;
  EXPECT_EQ(shape({any, 3, any, 10}, {8, 3, 3, 3}), "[?,8,?,8]");
  EXPECT_EQ(shape({1, 3, Dimension(5, 9), 10}, {8, 3, 3, 3}), "[1,8,3..7,8]");
  EXPECT_EQ(
      shape({1, 3, Dimension(5, 9), any}, {8, 3, 3, 3}, {{"auto_pad", "same_upper"}, {"strides", "2,2"}}),
      "[1,8,3..5,?]");
  EXPECT_EQ(shape(PartialShape(), {8, 3, 3, 3}), "[?,8,?,?]");
  EXPECT_EQ(shape({2, 3, 9}, PartialShape()), "[2,?,..9]");
  EXPECT_EQ(shape(PartialShape(), PartialShape()), "[...]");
}

TEST(Convolution, Errors) {
  const auto infer = [](const Shape& data, const Shape& filters,
                        const model::AttributeTexts& attributes = {}) {
    infer_op("Convolution", 1, attributes, {open(ElementType::kF32, data), open(ElementType::kF32, filters)});
  };
  expect_error(ErrorCode::kInvalidShape, "data [1,4,5] has 4 channels, but filters [2,3,3] expect 3",
               [&] { infer({1, 4, 5}, {2, 3, 3}); });
  expect_error(ErrorCode::kInvalidShape,
               "spatial axis 0 has 2 elements and 0 + 0 of padding, less than a window of 3",
               [&] { infer({1, 3, 2}, {2, 3, 3}); });
  expect_error(ErrorCode::kInvalidShape, "data has shape [1,3], expected", [&] { infer({1, 3}, {2, 3, 3}); });
  expect_error(ErrorCode::kInvalidShape, "filters [2,3,3,3] have 2 spatial axes, but data [1,3,5] has 1",
               [&] { infer({1, 3, 5}, {2, 3, 3, 3}); });
  expect_error(ErrorCode::kInvalidValue, "strides is [0]",
               [&] { infer({1, 3, 5}, {2, 3, 3}, {{"strides", "0"}}); });
  expect_error(ErrorCode::kInvalidValue, "dilations is [1,1]",
               [&] { infer({1, 3, 5}, {2, 3, 3}, {{"dilations", "1,1"}}); });
  expect_error(ErrorCode::kInvalidValue, "pads_begin is [-1]",
               [&] { infer({1, 3, 5}, {2, 3, 3}, {{"pads_begin", "-1"}}); });
  expect_error(ErrorCode::kInvalidValue, "pads_end is [9223372036854775807]",
               [&] { infer({1, 3, 5}, {2, 3, 3}, {{"pads_end", "9223372036854775807"}}); });
  expect_error(ErrorCode::kInvalidModel, "auto_pad",
               [&] { infer({1, 3, 5}, {2, 3, 3}, {{"auto_pad", "sideways"}}); });
  expect_error(ErrorCode::kInvalidType, "filters has element type i32, data has f32", [&] {
    infer_op("Convolution", 1, {}, {open(ElementType::kF32, {1, 3, 5}), open(ElementType::kI32, {2, 3, 3})});
  });
  expect_error(ErrorCode::kInvalidType, "data has element type boolean", [&] {
    infer_op("Convolution", 1, {},
             {open(ElementType::kBoolean, {1, 3, 5}), open(ElementType::kBoolean, {2, 3, 3})});
  });
}

}  // namespace
}  // namespace wasmvino::test::convolution_test
