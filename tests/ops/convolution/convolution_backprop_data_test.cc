// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/convolution/convolution_tester.h"

namespace wasmvino::test::convolution_backprop_data_test {
namespace {

TEST(ConvolutionBackpropData, ByHand) {
  const Tensor data = Tensor::of<float>({1, 1, 3}, {1, 2, 3}),
               filters = Tensor::of<float>({1, 1, 3}, {1, 10, 100});
  const auto run = [&](const model::AttributeTexts& attributes) {
    return run_op("ConvolutionBackpropData", 1, attributes, {data, filters})[0];
  };
  expect_tensor<float>(run({}), {1, 1, 5}, {1, 12, 123, 230, 300});
  expect_tensor<float>(run({{"strides", "2"}}), {1, 1, 7}, {1, 10, 102, 20, 203, 30, 300});
  expect_tensor<float>(run({{"strides", "2"}, {"pads_begin", "1"}, {"pads_end", "1"}}), {1, 1, 5},
                       {10, 102, 20, 203, 30});
  expect_tensor<float>(run({{"strides", "2"}, {"output_padding", "1"}}), {1, 1, 8},
                       {1, 10, 102, 20, 203, 30, 300, 0});
  expect_tensor<float>(run({{"dilations", "2"}}), {1, 1, 7}, {1, 2, 13, 20, 130, 200, 300});
  // Without an output shape, `same` pads nothing.
  expect_tensor<float>(run({{"auto_pad", "same_upper"}}), {1, 1, 5}, {1, 12, 123, 230, 300});
}

TEST(ConvolutionBackpropData, OutputShape) {
  const Tensor data = Tensor::of<float>({1, 1, 3}, {1, 2, 3}),
               filters = Tensor::of<float>({1, 1, 3}, {1, 10, 100});
  const auto run = [&](const std::string& word, int64_t size, const std::string& pad = "0") {
    return run_op("ConvolutionBackpropData", 1,
                  {{"strides", "2"}, {"pads_begin", pad}, {"pads_end", pad}, {"auto_pad", word}},
                  {data, filters, i64s({size})})[0];
  };
  expect_tensor<float>(run("explicit", 8), {1, 1, 8}, {1, 10, 102, 20, 203, 30, 300, 0});
  expect_tensor<float>(run("explicit", 4, "1"), {1, 1, 4}, {10, 102, 20, 203});
  expect_tensor<float>(run("valid", 6), {1, 1, 6}, {1, 10, 102, 20, 203, 30});
  // The larger half of the padding is at the end that the name does not say.
  expect_tensor<float>(run("same_upper", 6), {1, 1, 6}, {10, 102, 20, 203, 30, 300});
  expect_tensor<float>(run("same_lower", 6), {1, 1, 6}, {1, 10, 102, 20, 203, 30});
}

TEST(ConvolutionBackpropData, KernelsStridesDilationsAndPads) {
  for (const int64_t kernel : {1, 2, 4}) {
    for (const int64_t stride : {1, 2, 3}) {
      for (const int64_t dilation : {1, 2}) {
        for (const int64_t pad : {0, 1}) {
          const int64_t height = 4 * stride + (kernel - 1) * dilation + 1 - 2 * pad;
          const int64_t width = 5 * stride + (kernel - 1) * dilation + 1 - 2 * pad + stride - 1;
          check_convolution("ConvolutionBackpropData",
                            {{2, 3, 5, 6},
                             {3, 9, kernel, kernel},
                             false,
                             {stride, stride},
                             {dilation, dilation},
                             {pad, pad},
                             {height, width},
                             true},
                            {{"pads_begin", text({pad, pad})},
                             {"pads_end", text({pad, pad})},
                             {"output_padding", text({0, stride - 1})}});
        }
      }
    }
  }
}

TEST(ConvolutionBackpropData, AxesAndOutputShapes) {
  check_convolution("ConvolutionBackpropData", {{2, 5, 30}, {5, 12, 8}, false, {4}, {1}, {2}, {120}, true},
                    {{"pads_begin", "2"}, {"pads_end", "2"}});
  check_convolution(
      "ConvolutionBackpropData",
      {{1, 2, 3, 4, 5}, {2, 3, 3, 2, 2}, false, {2, 1, 2}, {1, 2, 1}, {1, 0, 0}, {5, 6, 10}, true},
      {{"pads_begin", "1,0,0"}, {"pads_end", "1,0,0"}});
  check_convolution("ConvolutionBackpropData",
                    {{1, 4, 5, 6}, {4, 6, 3, 3}, false, {2, 2}, {1, 1}, {1, 1}, {10, 12}, true},
                    {{"auto_pad", "same_upper"}}, {i32s({10, 12})});
}

TEST(ConvolutionBackpropData, ElementTypes) {
  expect_tensor<int32_t>(
      run_op("ConvolutionBackpropData", 1, {},
             {Tensor::of<int32_t>({1, 1, 3}, {1, 2, 3}), Tensor::of<int32_t>({1, 1, 2}, {1, -10})})[0],
      {1, 1, 4}, {1, -8, -17, -30});
  expect_tensor<uint8_t>(
      run_op("ConvolutionBackpropData", 1, {{"strides", "2"}},
             {Tensor::of<uint8_t>({1, 1, 2}, {100, 2}), Tensor::of<uint8_t>({1, 1, 2}, {1, 3})})[0],
      {1, 1, 4}, {100, 255, 2, 6});
  expect_tensor<double>(
      run_op("ConvolutionBackpropData", 1, {},
             {Tensor::of<double>({1, 1, 2}, {1, 2}), Tensor::of<double>({1, 1, 2}, {0.5, 4})})[0],
      {1, 1, 3}, {0.5, 5, 8});
}

TEST(ConvolutionBackpropData, OpenShapes) {
  const Dimension any;
  const auto shape = [](const PartialShape& data, const PartialShape& filters,
                        const model::AttributeTexts& attributes = {},
                        const std::vector<model::ValueInfo>& more = {}) {
    std::vector<model::ValueInfo> inputs = {open(ElementType::kF32, data), open(ElementType::kF32, filters)};
    inputs.insert(inputs.end(), more.begin(), more.end());
    return infer_shape("ConvolutionBackpropData", 1, attributes, inputs);
  };
  EXPECT_EQ(shape({any, 3, any, 10}, {3, 8, 3, 3}, {{"strides", "2,2"}}), "[?,8,1..,21]");
  EXPECT_EQ(shape({1, 3, Dimension(2, 4)}, {3, 8, 3}, {{"strides", "2"}}), "[1,8,5..9]");
  EXPECT_EQ(shape({1, 3, 4}, {3, 8, 3}, {}, {open(ElementType::kI64, {1})}), "[1,8,?]");
  EXPECT_EQ(shape({1, 3, any}, {3, 8, 3}, {}, {model::ValueInfo::of(i64s({6}))}), "[1,8,6]");
  EXPECT_EQ(shape(PartialShape(), {3, 8, 3, 3}), "[?,8,2..,2..]");
}

TEST(ConvolutionBackpropData, Errors) {
  const auto infer = [](const Shape& data, const Shape& filters, const model::AttributeTexts& attributes,
                        const std::vector<model::ValueInfo>& more = {}) {
    std::vector<model::ValueInfo> inputs = {open(ElementType::kF32, data), open(ElementType::kF32, filters)};
    inputs.insert(inputs.end(), more.begin(), more.end());
    infer_op("ConvolutionBackpropData", 1, attributes, inputs);
  };
  expect_error(ErrorCode::kInvalidShape, "data [1,4,5] has 4 channels, but filters [2,3,3] expect 2",
               [&] { infer({1, 4, 5}, {2, 3, 3}, {}); });
  expect_error(ErrorCode::kInvalidShape, "leaves -1 elements after 2 + 2 of padding",
               [&] { infer({1, 2, 1}, {2, 3, 3}, {{"pads_begin", "2"}, {"pads_end", "2"}}); });
  expect_error(ErrorCode::kInvalidValue, "output_padding is [1,1]",
               [&] { infer({1, 2, 5}, {2, 3, 3}, {{"output_padding", "1,1"}}); });
  expect_error(ErrorCode::kInvalidValue, "output_shape is [4,4] with 2 elements, expected 1",
               [&] { infer({1, 2, 5}, {2, 3, 3}, {}, {model::ValueInfo::of(i64s({4, 4}))}); });
  expect_error(ErrorCode::kInvalidValue, "output_shape is [-2]",
               [&] { infer({1, 2, 5}, {2, 3, 3}, {}, {model::ValueInfo::of(i64s({-2}))}); });
  expect_error(ErrorCode::kInvalidType, "output_shape has element type f32",
               [&] { infer({1, 2, 5}, {2, 3, 3}, {}, {model::ValueInfo::of(Tensor::of<float>({1}, {4}))}); });
}

}  // namespace
}  // namespace wasmvino::test::convolution_backprop_data_test
