// SPDX-License-Identifier: Apache-2.0
#include "runtime/compiled_model.h"
#include "runtime/explanation.h"
#include "tests/kernels/integer_forms.h"
#include "tests/kernels/registers.h"
#include "tests/passes/quantised_weights.h"

namespace wasmvino::passes {
namespace {

// What stands in front of the pass in all_passes().
void prepare(Model& model) {
  for (const auto pass : {keep_quantised_constants, fold_constants, fuse_bias_activation, channels_last_pass,
                          fold_constants, fuse_residual, fuse_bias_activation, fuse_mat_mul}) {
    if (pass(model, registry())) model.index();
  }
}

// Sums are exact, so all forms of their products give the same results.
void check_forms(const Model& model) {
  const std::vector<Tensor> expected = compute(model);
  for (const kernels::IntegerDot dot : kernels::integer_forms()) {
    const kernels::IntegerForm form(dot);
    expect_same(compute(model), expected, 0);
  }
}

// Compares the outline behind the pass and store_levels, and the results before, between and after them.
// Those of FakeQuantize may fall to the neighbouring level where rounding meets a tie: `tolerance` is half a
// level.
void check(Model& model, const std::string& after, float tolerance = 2e-3f) {
  model.index();
  model.infer();
  const std::vector<Tensor> expected = compute(model), expected_larger = compute(model, 8);
  prepare(model);
  compute_in_integers(model, registry());
  model.index();
  expect_same(compute(model), expected, tolerance);
  store_levels(model, registry());
  model.index();
  EXPECT_EQ(outline(model), after);
  for (const auto& node : model.nodes) {
    if (node->kind == NodeKind::kConstant) continue;
    for (const model::OutputPort& port : node->outputs) {
      EXPECT_EQ(port.quantization != nullptr, port.type == ElementType::kU8) << node->name;
    }
  }
  expect_same(compute(model), expected, tolerance);
  expect_same(compute(model, 8), expected_larger, tolerance);
  check_forms(model);
}

Source floats(Model& model, const std::string& name, const Shape& shape, const std::vector<float>& values) {
  return {model.add_constant(name, Tensor::of<float>(shape, values.data())), 0};
}

// Levels of low..high for all elements.
Source quantized(Model& model, const std::string& name, Source x, float low, float high) {
  const Source bounds[] = {floats(model, name + "/low", {}, {low}),
                           floats(model, name + "/high", {}, {high})};
  return add(model, "FakeQuantize", name, {x, bounds[0], bounds[1], bounds[0], bounds[1]},
             {{"levels", "256"}});
}

Source filters(Model& model, const std::string& name, ElementType type, const Shape& shape) {
  const Source values = in_f32(model, name + "/f32", stored(model, name + "/stored", type, shape, 3));
  Shape scale(shape.size(), 1);
  scale[0] = shape[0];
  std::vector<float> scales(static_cast<size_t>(shape[0]));
  for (size_t i = 0; i < scales.size(); ++i) scales[i] = 0.002f + 0.0003f * static_cast<float>(i);
  return add(model, "Multiply", name, {values, floats(model, name + "/scale", scale, scales)});
}

Source convolution(Model& model, const std::string& name, Source x, Source w) {
  return add(model, "Convolution", name, {x, w}, {{"pads_begin", "1,1"}, {"pads_end", "1,1"}});
}

TEST(ComputeInIntegers, RequantizesInTheStore) {
  for (const float low : {0.0f, -1.0f}) {
    Model model;
    const Source x = quantized(model, "x/levels", parameter(model, "x", {1, 5, Dimension(), 6}), low, 0.992f);
    Source y = convolution(model, "first", x, filters(model, "w", ElementType::kI8, {11, 5, 3, 3}));
    y = add(model, "Add", "biased", {y, weights(model, "bias", {1, 11, 1, 1})});
    y = quantized(model, "y/levels", add(model, "Relu", "relu", {y}), 0, 2.5f);
    result(model, convolution(model, "second", y, filters(model, "v", ElementType::kI8, {4, 11, 3, 3})));
    check(model,
          "Parameter x; Quantize x/levels(x); Transpose first/channels_last(x/levels); IntegerConvolution "
          "first(first/channels_last); IntegerConvolution second(first); Transpose "
          "second/channels_first(second)",
          0.02f);
  }
}

TEST(ComputeInIntegers, TypesOfFilters) {
  for (const ElementType type : {ElementType::kI8, ElementType::kI4, ElementType::kU4, ElementType::kF16}) {
    SCOPED_TRACE(name(type));
    Model model;
    const Source x = quantized(model, "levels", parameter(model, "x", {1, 5, 6, 7}), -1, 0.9921875f);
    result(model, convolution(model, "y", x, filters(model, "w", type, {8, 5, 3, 3})));
    check(model,
          type == ElementType::kF16
              ? "Parameter x; FakeQuantize levels(x); FusedConvolution y(levels)"
              : "Parameter x; Quantize levels(x); Transpose y/channels_last(levels); IntegerConvolution "
                "y(y/channels_last); Transpose y/channels_first(y)");
  }
}

TEST(ComputeInIntegers, CanBeLeftOut) {
  for (const bool integers : {false, true}) {
    Model model;
    const Source x = quantized(model, "levels", parameter(model, "x", {1, 5, 6, 7}), -1, 0.9921875f);
    result(model, convolution(model, "y", x, filters(model, "w", ElementType::kI8, {8, 5, 3, 3})));
    model.index();
    model.infer();
    run_passes(model, registry(), {.integers = integers});
    EXPECT_EQ(outline(model).find("IntegerConvolution") != std::string::npos, integers);
  }
}

// NNCF quantises the data of depthwise convolutions channel by channel.
TEST(ComputeInIntegers, DepthwiseByChannel) {
  Model model;
  const Source x = quantized(model, "levels", parameter(model, "x", {2, 3, 6, 7}), -1, 0.9921875f);
  Source y = convolution(model, "first", x, filters(model, "w", ElementType::kI8, {6, 3, 3, 3}));
  const Source low = floats(model, "low", {1, 6, 1, 1}, {-1, -2, 0, -0.5f, 0, -3}),
               high = floats(model, "high", {1, 6, 1, 1},
                             {0.9921875f, 1.984375f, 1, 0.49609375f, 2, 2.9765625f});
  y = add(model, "FakeQuantize", "channels", {y, low, high, low, high}, {{"levels", "256"}});
  const Source w = filters(model, "v", ElementType::kI8, {6, 1, 1, 3, 3});
  y = add(model, "GroupConvolution", "depthwise", {y, w},
          {{"strides", "2,1"}, {"pads_begin", "1,1"}, {"pads_end", "1,0"}});
  result(model, add(model, "HSwish", "function", {y}));
  check(model,
        "Parameter x; Quantize levels(x); Transpose first/channels_last(levels); IntegerConvolution "
        "first(first/channels_last); IntegerConvolution depthwise(first); Transpose "
        "depthwise/channels_first(depthwise)",
        0.02f);
}

// Taps that only read padding are left out.
TEST(ComputeInIntegers, WidelyDilatedKernels) {
  const model::AttributeTexts all[] = {
      {{"dilations", "12,8"}, {"pads_begin", "12,8"}, {"pads_end", "12,8"}},  // one tap is left
      {{"dilations", "3,7"}, {"pads_begin", "3,14"}, {"pads_end", "3,0"}},    // the last column of taps
      {{"dilations", "7,2"}, {"pads_begin", "0,2"}, {"pads_end", "14,2"}},    // the first row
      {{"strides", "9,9"}, {"dilations", "3,3"}, {"pads_begin", "2,1"}, {"pads_end", "2,1"}},
      {{"dilations", "8,8"},
       {"pads_begin", "20,20"},
       {"pads_end", "20,20"}},  // none reads the data everywhere
  };
  for (const bool depthwise : {false, true}) {
    for (const model::AttributeTexts& attributes : all) {
      SCOPED_TRACE(testing::Message() << depthwise << ", " << (&attributes - all));
      Model model;
      const Source x = quantized(model, "levels", parameter(model, "x", {2, 9, 6, 7}), -1, 0.9921875f);
      const Source w =
          filters(model, "w", ElementType::kI8, depthwise ? Shape{9, 1, 1, 3, 3} : Shape{5, 9, 3, 3});
      result(model, add(model, depthwise ? "GroupConvolution" : "Convolution", "y", {x, w}, attributes));
      check(model,
            "Parameter x; Quantize levels(x); Transpose y/channels_last(levels); IntegerConvolution "
            "y(y/channels_last); Transpose y/channels_first(y)");
    }
  }
}

// Levels by channel, in the layout of pictures. Those of `channels` start at `first`.
Source quantized_by_channel(Model& model, const std::string& name, Source x, int64_t channels,
                            float first = 0.5f) {
  std::vector<float> low, high;
  for (int64_t i = 0; i < channels; ++i) {
    const float range = first * static_cast<float>(1 + i);
    low.push_back(-range);
    high.push_back(range * 127 / 128);
  }
  const Source bounds[] = {floats(model, name + "/low", {1, channels, 1, 1}, low),
                           floats(model, name + "/high", {1, channels, 1, 1}, high)};
  return add(model, "FakeQuantize", name, {x, bounds[0], bounds[1], bounds[0], bounds[1]},
             {{"levels", "256"}});
}

Source depthwise(Model& model, const std::string& name, Source x, int64_t channels) {
  const Source w = filters(model, name + "/w", ElementType::kI8, {channels, 1, 1, 3, 3});
  return add(model, "GroupConvolution", name, {x, w}, {{"pads_begin", "1,1"}, {"pads_end", "1,1"}});
}

// What copies elements copies levels by channel too. Channels may be cut and joined.
TEST(ComputeInIntegers, CopiesByChannel) {
  const std::string before =
      "Parameter x; Quantize levels(x); Transpose first/channels_last(levels); IntegerConvolution "
      "first(first/channels_last); ";
  const auto start = [](Model& model) {
    const Source x =
        quantized(model, "levels", parameter(model, "x", {2, 3, Dimension(), 7}), -1, 0.9921875f);
    const Source y = convolution(model, "first", x, filters(model, "w", ElementType::kI8, {6, 3, 3, 3}));
    return quantized_by_channel(model, "channels", y, 6);
  };
  for (const float value : {0.0f, 0.5f}) {
    SCOPED_TRACE(value);
    Model model;
    const Source pads = integers(model, "pads", {0, 0, 1, 2});
    const Source y = add(model, "Pad", "pad", {start(model), pads, pads, floats(model, "value", {}, {value})},
                         {{"pad_mode", "constant"}});
    result(model, depthwise(model, "depthwise", y, 6));
    check(model,
          before + (value == 0 ? "Pad pad(first); IntegerConvolution depthwise(pad); Transpose "
                                 "depthwise/channels_first(depthwise)"
                               : "Dequantize channels(first); Pad pad(channels); FusedConvolution "
                                 "depthwise(pad)"),
          0.03f);
  }
  {
    Model model;
    const Source y =
        add(model, "Interpolate", "larger",
            {start(model), floats(model, "scales", {2}, {2, 2}), integers(model, "axes", {2, 3})},
            {{"mode", "nearest"}, {"shape_calculation_mode", "scales"}});
    result(model, depthwise(model, "depthwise", y, 6));
    check(model,
          before +
              "Interpolate larger(first); IntegerConvolution depthwise(larger); Transpose "
              "depthwise/channels_first(depthwise)",
          0.03f);
  }
  for (const bool along_channels : {false, true}) {
    Model model;
    const int64_t axis = along_channels ? 1 : 3;
    const Source lengths =
        along_channels ? integers(model, "lengths", {4, 2}) : integers(model, "lengths", {3, 4});
    const Source parts =
        add(model, "VariadicSplit", "parts",
            {start(model), {model.add_constant("axis", Tensor::of<int64_t>({}, {axis})), 0}, lengths}, {}, 2);
    result(model, depthwise(model, "a", parts, along_channels ? 4 : 6));
    result(model, depthwise(model, "b", {parts.node, 1}, along_channels ? 2 : 6));
    check(model,
          before +
              "VariadicSplit parts(first); IntegerConvolution a(parts); Transpose a/channels_first(a); "
              "IntegerConvolution b(parts:1); Transpose b/channels_first(b)",
          0.03f);
  }
  {
    Model model;
    const Source z =
        quantized(model, "z/levels", parameter(model, "z", {2, 2, Dimension(), 7}), -1, 0.9921875f);
    const Source second =
        convolution(model, "second", z, filters(model, "v", ElementType::kI8, {4, 2, 3, 3}));
    const Source y =
        add(model, "Concat", "all", {start(model), quantized_by_channel(model, "others", second, 4, 0.25f)},
            {{"axis", "1"}});
    result(model, depthwise(model, "depthwise", y, 10));
    check(model,
          "Parameter z; " + before +
              "Quantize z/levels(z); Transpose second/channels_last(z/levels); IntegerConvolution "
              "second(second/channels_last); Concat all(first, second); IntegerConvolution depthwise(all); "
              "Transpose depthwise/channels_first(depthwise)",
          0.03f);
  }
}

// Levels by channel follow their channels as long as these stay on the last axis.
TEST(ComputeInIntegers, RearrangesChannels) {
  const auto check_copy = [](const char* type, std::initializer_list<int64_t> values, int64_t columns,
                             const std::string& after) {
    SCOPED_TRACE(type + std::to_string(columns));
    Model model;
    Source y = parameter(model, "x", {2, Dimension(), 6});
    const Source low = floats(model, "low", {6}, {-1, -2, 0, -0.5f, 0, -3}),
                 high = floats(model, "high", {6}, {0.9921875f, 1.984375f, 1, 0.49609375f, 2, 2.9765625f});
    y = add(model, "FakeQuantize", "channels", {y, low, high, low, high}, {{"levels", "256"}});
    y = add(model, type, "copy", {y, integers(model, "values", values)},
            std::string(type) == "Reshape" ? model::AttributeTexts{{"special_zero", "false"}}
                                           : model::AttributeTexts{});
    y = quantized(model, "levels", add(model, "Relu", "relu", {y}), 0, 2);
    const Source w = filters(model, "w", ElementType::kI8, {4, columns});
    result(model, add(model, "MatMul", "product", {y, w}, {{"transpose_b", "true"}}));
    check(model, "Parameter x; " + after + "; IntegerMatMul product(levels)", 0.05f);
  };
  const std::string copied = "Quantize channels(x); ";
  check_copy("Transpose", {1, 0, 2}, 6, copied + "Transpose copy(channels); LookUp levels(copy)");
  check_copy("Reshape", {-1, 6}, 6, copied + "Reshape copy(channels); LookUp levels(copy)");
  check_copy("Reshape", {-1, 12}, 12, copied + "Reshape copy(channels); LookUp levels(copy)");
  const std::string in_f32 = "FakeQuantize channels(x); ";
  check_copy("Reshape", {-1, 4}, 4, in_f32 + "Reshape copy(channels); Quantize levels(copy)");
}

TEST(ComputeInIntegers, FunctionsThatAreNoClamps) {
  Model model;
  const Source x = quantized(model, "levels", parameter(model, "x", {1, 5, 6, 7}), -1, 0.9921875f);
  Source y = convolution(model, "first", x, filters(model, "w", ElementType::kI8, {9, 5, 3, 3}));
  y = quantized(model, "y/levels", add(model, "HSwish", "function", {y}), -0.375f, 1.6171875f);
  result(model, convolution(model, "second", y, filters(model, "v", ElementType::kI8, {4, 9, 3, 3})));
  check(
      model,
      "Parameter x; Quantize levels(x); Transpose first/channels_last(levels); IntegerConvolution "
      "first(first/channels_last); IntegerConvolution second(first); Transpose second/channels_first(second)",
      0.02f);
}

// Each remainder of output positions modulo the strides has its own convolution, which may have no taps.
TEST(ComputeInIntegers, TransposedConvolutions) {
  const model::AttributeTexts all[] = {
      {},
      {{"strides", "2,2"}},
      {{"strides", "2,2"}, {"pads_begin", "1,1"}, {"pads_end", "1,1"}, {"output_padding", "1,1"}},
      {{"strides", "2,1"}, {"pads_begin", "0,2"}, {"pads_end", "1,2"}},
      {{"strides", "4,3"}, {"pads_begin", "2,1"}, {"pads_end", "1,0"}},
      {{"strides", "1,5"}, {"pads_begin", "0,0"}, {"pads_end", "0,0"}, {"output_padding", "0,4"}},
  };
  for (const bool grouped : {false, true}) {
    for (const model::AttributeTexts& attributes : all) {
      for (const char* activation : {"Relu", "Swish"}) {
        SCOPED_TRACE(testing::Message() << grouped << ", " << (&attributes - all) << ", " << activation);
        Model model;
        const Source x = quantized(model, "levels", parameter(model, "x", {2, 6, 4, 5}), -1, 0.9921875f);
        // One scale for each output channel.
        const Shape shape = grouped ? Shape{2, 3, 4, 3, 4} : Shape{6, 9, 3, 4};
        const size_t axis = grouped ? 2 : 1;
        Shape scale(shape.size(), 1);
        scale[axis] = shape[axis];
        std::vector<float> scales(static_cast<size_t>(shape[axis]));
        for (size_t i = 0; i < scales.size(); ++i) scales[i] = 0.002f + 0.0003f * static_cast<float>(i);
        const Source w = in_f32(model, "w/f32", stored(model, "w/stored", ElementType::kI8, shape, 3));
        model::AttributeTexts complete = attributes;
        if (complete.empty()) complete = {{"strides", "1,1"}};
        Source y =
            add(model, grouped ? "GroupConvolutionBackpropData" : "ConvolutionBackpropData", "first",
                {x, add(model, "Multiply", "w", {w, floats(model, "w/scale", scale, scales)})}, complete);
        y = quantized(model, "y/levels", add(model, activation, "function", {y}), -1, 2.984375f);
        const int64_t channels = grouped ? 8 : 9;
        result(model,
               convolution(model, "second", y, filters(model, "v", ElementType::kI8, {4, channels, 3, 3})));
        check(model,
              "Parameter x; Quantize levels(x); Transpose first/channels_last(levels); IntegerConvolution "
              "first(first/channels_last); IntegerConvolution second(first); Transpose "
              "second/channels_first(second)",
              0.03f);
      }
    }
  }
}

// In a phase, one axis may be longer than that of the data and another one shorter.
TEST(ComputeInIntegers, TransposedConvolutionsWithOtherSizes) {
  Model model;
  const Source x = quantized(model, "levels", parameter(model, "x", {1, 6, 3, 2}), -1, 0.9921875f);
  const Source values = in_f32(model, "w/f32", stored(model, "w/stored", ElementType::kI8, {6, 9, 3, 4}, 3));
  const Source w = add(model, "Multiply", "w", {values, floats(model, "w/scale", {}, {0.002f})});
  result(model,
         add(model, "ConvolutionBackpropData", "first", {x, w},
             {{"strides", "3,4"}, {"pads_begin", "0,0"}, {"pads_end", "3,0"}, {"output_padding", "0,1"}}));
  check(model,
        "Parameter x; Quantize levels(x); Transpose first/channels_last(levels); IntegerConvolution "
        "first(first/channels_last); Transpose first/channels_first(first)");
}

// Pads beyond the kernel would need taps of weight 0.
TEST(ComputeInIntegers, KeepsTransposedConvolutionsWithLargePads) {
  Model model;
  const Source x = quantized(model, "levels", parameter(model, "x", {1, 6, 9, 9}), -1, 0.9921875f);
  const Source values = in_f32(model, "w/f32", stored(model, "w/stored", ElementType::kI8, {6, 9, 2, 2}, 3));
  const Source w = add(model, "Multiply", "w", {values, floats(model, "w/scale", {}, {0.002f})});
  result(model, add(model, "ConvolutionBackpropData", "first", {x, w},
                    {{"strides", "1,1"}, {"pads_begin", "3,3"}, {"pads_end", "0,0"}}));
  model.index();
  model.infer();
  prepare(model);
  EXPECT_FALSE(compute_in_integers(model, registry()));
}

// auto_pad replaces pads, however many there are.
TEST(ComputeInIntegers, TransposedConvolutionsWithUnusedPads) {
  Model model;
  const Source x = quantized(model, "levels", parameter(model, "x", {1, 6, 5, 4}), -1, 0.9921875f);
  const Source values = in_f32(model, "w/f32", stored(model, "w/stored", ElementType::kI8, {6, 9, 3, 3}, 3));
  const Source w = add(model, "Multiply", "w", {values, floats(model, "w/scale", {}, {0.002f})});
  result(model, add(model, "ConvolutionBackpropData", "first", {x, w},
                    {{"strides", "2,2"}, {"pads_begin", "1,1,1,1,1,1,1,1,1"}, {"auto_pad", "same_upper"}}));
  check(model,
        "Parameter x; Quantize levels(x); Transpose first/channels_last(levels); IntegerConvolution "
        "first(first/channels_last); Transpose first/channels_first(first)");
}

TEST(ComputeInIntegers, SlopesByChannel) {
  for (const bool quantises : {false, true}) {
    SCOPED_TRACE(quantises);
    Model model;
    const Source x = quantized(model, "levels", parameter(model, "x", {1, 5, 6, 7}), -1, 0.9921875f);
    Source y = convolution(model, "first", x, filters(model, "w", ElementType::kI8, {9, 5, 3, 3}));
    y = add(model, "PRelu", "function", {y, weights(model, "slopes", {9})});
    if (quantises) y = quantized(model, "y/levels", y, -1, 2.984375f);
    result(model, convolution(model, "second", y, filters(model, "v", ElementType::kI8, {4, 9, 3, 3})));
    const std::string before =
        "Parameter x; Quantize levels(x); Transpose first/channels_last(levels); IntegerConvolution "
        "first(first/channels_last); ";
    check(model,
          before + (quantises ? "IntegerConvolution second(first); Transpose second/channels_first(second)"
                              : "FusedConvolution second(first)"),
          0.02f);
  }
}

// A 3x3 convolution to 64 channels and how a machine with `dot` computes it.
struct ThreeByThree {
  std::string method;
  Tensor output;
};
std::unique_ptr<runtime::InferRequest> compile_three_by_three(const Model& model,
                                                              const runtime::CompileOptions& options) {
  const auto compiled = runtime::CompiledModel::compile(model, registry(), options);
  auto request = compiled->create_infer_request();
  Tensor x(ElementType::kF32, compiled->inputs()[0].shape.to_shape());
  const std::vector<float> values = kernels::random_floats(x.size(), 5);
  // Most levels are 0 or 255.
  for (size_t i = 0; i < x.size(); ++i) x.mutable_data<float>()[i] = i % 16 == 0 ? values[i] : values[i / 64];
  request->set_input(0, x);
  return request;
}
ThreeByThree run_three_by_three(runtime::InferRequest& request) {
  request.infer();
  ThreeByThree run;
  for (const runtime::ExplainedNode& node : request.explain().nodes)
    if (node.type == "IntegerConvolution") run.method = node.method;
  run.output = request.output(0).clone();
  return run;
}

// Winograd's form multiplies pairs. Where relaxed dot exists, it computes only the layers that it makes
// faster. With weights of 127 only, sums of 128 channels are too large for it.
TEST(ComputeInIntegers, WinogradIsUsedWhereItIsFaster) {
  struct Case {
    int64_t channels, size;
    size_t threads;
    bool largest, pairs, beside_dot;
  };
  const Case cases[] = {{64, 20, 1, false, true, true},  {64, 20, 2, false, true, false},
                        {64, 44, 2, false, true, true},  {64, 44, 4, false, true, false},
                        {64, 12, 1, false, true, false}, {32, 20, 1, false, true, false},
                        {128, 17, 1, false, true, true}, {128, 17, 1, true, false, false}};
  for (const Case& c : cases) {
    SCOPED_TRACE(testing::Message() << c.channels << " channels, " << c.size << " pixels, " << c.threads
                                    << " threads, " << c.largest);
    Model model;
    const Source x =
        quantized(model, "x/levels", parameter(model, "x", {1, c.channels, c.size, c.size}), 0, 0.1f);
    Source w = filters(model, "w", ElementType::kI8, {64, c.channels, 3, 3});
    if (c.largest) {
      Tensor all(ElementType::kI8, {64, c.channels, 3, 3});
      std::fill_n(all.mutable_data<int8_t>(), all.size(), int8_t{127});
      const Source values = in_f32(model, "all/f32", {model.add_constant("all", all), 0});
      w = add(model, "Multiply", "largest", {values, floats(model, "scale", {1, 1, 1, 1}, {0.01f})});
    }
    result(model, convolution(model, "y", x, w));
    model.index();
    model.infer();
    runtime::CompileOptions options;
    options.threads = c.threads;
    const ThreeByThree pairs = run_three_by_three(*compile_three_by_three(model, options));
    options.integers = false;
    expect_same({pairs.output}, {run_three_by_three(*compile_three_by_three(model, options)).output}, 1e-4f);
    options.integers = true;
    const std::string winograd = "Winograd F(4x4, 3x3), u8 x i8, dot products of i16";
#if !defined(__wasm__)
    const std::string direct = "u8 x i8, dot products of i16", dot = "u8 x i8, relaxed dot products of i8";
    EXPECT_EQ(pairs.method, c.pairs ? winograd : direct);
    for (const auto dot_form : {kernels::IntegerDot::kUnsigned, kernels::IntegerDot::kSigned}) {
      const kernels::IntegerForm form(dot_form);
      const auto request = compile_three_by_three(model, options);
      // The registers become known after some runs.
      kernels::with_both_registers([&] {
        const ThreeByThree run = run_three_by_three(*request);
        const bool faster =
            c.beside_dot && dot_form == kernels::IntegerDot::kUnsigned && !kernels::wide_registers();
        EXPECT_EQ(run.method, faster ? winograd : dot);
        expect_same({run.output}, {pairs.output}, 0);
      });
    }
#else
    EXPECT_TRUE(!pairs.method.empty() && (c.pairs || pairs.method != winograd)) << pairs.method;
#endif
  }
}

// Sums of what has been quantised on both sides, of open sizes that numpy's rule may broadcast.
TEST(ComputeInIntegers, Sums) {
  Model model;
  const Source x = quantized(model, "levels", parameter(model, "x", {1, 5, Dimension(), 6}), -1, 0.9921875f);
  const auto branch = [&](const std::string& name) {
    const Source y = convolution(model, name, x, filters(model, name + "/w", ElementType::kI8, {8, 5, 3, 3}));
    return quantized(model, name + "/levels", y, -2, 1.984375f);
  };
  Source sum = add(model, "Add", "sum", {branch("a"), branch("b")});
  sum = quantized(model, "sum/levels", add(model, "Relu", "relu", {sum}), 0, 3);
  result(model, convolution(model, "y", sum, filters(model, "w", ElementType::kI8, {4, 8, 3, 3})));
  check(model,
        "Parameter x; Quantize levels(x); Transpose levels/channels_last(levels); IntegerConvolution "
        "a(levels/channels_last); IntegerConvolution b(levels/channels_last); IntegerBinary sum(a, b); "
        "IntegerConvolution y(sum); Transpose y/channels_first(y)",
        0.03f);
}

// Slopes of a sum are part of its store, whether or not the result is quantised.
TEST(ComputeInIntegers, SumsWithSlopes) {
  for (const bool quantises : {false, true}) {
    SCOPED_TRACE(quantises);
    Model model;
    const Source x = quantized(model, "levels", parameter(model, "x", {2, 5, 6, 7}), -1, 0.9921875f);
    const auto branch = [&](const std::string& name) {
      const Source y =
          convolution(model, name, x, filters(model, name + "/w", ElementType::kI8, {11, 5, 3, 3}));
      return quantized(model, name + "/levels", y, -2, 1.984375f);
    };
    Source y = add(model, "Add", "sum", {branch("a"), branch("b")});
    y = add(model, "PRelu", "function", {y, weights(model, "slopes", {11})});
    if (quantises) y = quantized(model, "y/levels", y, -1, 2.984375f);
    result(model, convolution(model, "y", y, filters(model, "w", ElementType::kI8, {4, 11, 3, 3})));
    check(model,
          std::string("Parameter x; Quantize levels(x); Transpose levels/channels_last(levels); "
                      "IntegerConvolution a(levels/channels_last); IntegerConvolution "
                      "b(levels/channels_last); IntegerBinary sum(a, b); ") +
              (quantises ? "IntegerConvolution y(sum); Transpose y/channels_first(y)"
                         : "FusedConvolution y(sum)"),
          0.03f);
  }
}

// The gates of squeeze and excitation, and sums with such values. 600 channels are more than one step takes.
TEST(ComputeInIntegers, ProductsWithGates) {
  for (const char* type : {"Multiply", "Add"}) {
    for (const bool first : {false, true}) {
      for (const int64_t channels : {8, 600}) {
        SCOPED_TRACE(testing::Message() << type << ", " << channels);
        Model model;
        const Source x = quantized(model, "levels", parameter(model, "x", {2, 5, 6, 7}), -1, 0.9921875f);
        Source y = convolution(model, "first", x, filters(model, "w", ElementType::kI8, {channels, 5, 3, 3}));
        y = quantized(model, "y/levels", y, -2, 1.984375f);
        Source gate =
            add(model, "ReduceMean", "mean", {y, integers(model, "axes", {2, 3})}, {{"keep_dims", "true"}});
        gate = quantized(model, "gate/levels", add(model, "Sigmoid", "sigmoid", {gate}), 0, 1);
        y = first ? add(model, type, "product", {gate, y}) : add(model, type, "product", {y, gate});
        y = quantized(model, "product/levels", y, -1, 0.9921875f);
        result(model,
               convolution(model, "second", y, filters(model, "v", ElementType::kI8, {4, channels, 1, 1})));
        check(model,
              "Parameter x; Quantize levels(x); Transpose first/channels_last(levels); IntegerConvolution "
              "first(first/channels_last); IntegerMean mean(first); Sigmoid sigmoid(mean); Quantize "
              "gate/levels(sigmoid); IntegerBinary product(" +
                  std::string(first ? "gate/levels, first" : "first, gate/levels") +
                  "); IntegerConvolution second(product); Transpose second/channels_first(second)",
              0.05f);
      }
    }
  }
}

Source matrix(Model& model, const std::string& name, ElementType type, const Shape& shape) {
  std::vector<float> scales(static_cast<size_t>(shape[0]));
  for (size_t i = 0; i < scales.size(); ++i) scales[i] = 0.002f + 0.0003f * static_cast<float>(i);
  const Source values = in_f32(model, name + "/f32", stored(model, name + "/stored", type, shape, 3));
  return add(model, "Multiply", name, {values, floats(model, name + "/scale", {shape[0], 1}, scales)});
}

// Of a sum, the pass asks for both inputs in u8 before it knows that it can use them.
TEST(ComputeInIntegers, LeavesLevelsThatNoIntegerOperationTakes) {
  Model model;
  const Source x = quantized(model, "levels", parameter(model, "x", {1, 5, 6, 7}), -1, 0.9921875f);
  result(model, convolution(model, "y", x, filters(model, "w", ElementType::kI8, {8, 5, 3, 3})));
  const Source z = parameter(model, "z", {1, 5, 6, 7});
  const Source a = quantized(model, "others", z, -1, 0.9921875f);
  result(model, add(model, "Add", "sum", {a, add(model, "Exp", "exp", {z})}));
  check(model,
        "Parameter x; Parameter z; Quantize levels(x); Transpose y/channels_last(levels); IntegerConvolution "
        "y(y/channels_last); Transpose y/channels_first(y); FakeQuantize others(z); Exp exp(z); Add "
        "sum(others, exp)");
}

TEST(ComputeInIntegers, MatMuls) {
  for (const ElementType type : {ElementType::kI8, ElementType::kU4}) {
    SCOPED_TRACE(name(type));
    Model model;
    const Source x = quantized(model, "levels", parameter(model, "x", {2, Dimension(), 12}), -1, 0.9921875f);
    Source y =
        add(model, "MatMul", "first", {x, matrix(model, "w", type, {20, 12})}, {{"transpose_b", "true"}});
    y = add(model, "Relu", "relu", {add(model, "Add", "biased", {y, weights(model, "bias", {20})})});
    y = add(model, "Reshape", "reshaped",
            {quantized(model, "y/levels", y, 0, 2.5f), integers(model, "target", {-1, 20})});
    result(model,
           add(model, "MatMul", "second", {y, matrix(model, "v", type, {9, 20})}, {{"transpose_b", "true"}}));
    check(model,
          "Parameter x; Quantize levels(x); IntegerMatMul first(levels); Reshape reshaped(first); "
          "IntegerMatMul second(reshaped)",
          0.02f);
  }
}

// Both operands are data. B has the zero point of i8, or any other; the result is quantised, or not.
TEST(ComputeInIntegers, MatMulsOfData) {
  for (const bool transposed : {false, true}) {
    for (const float low : {-1.0f, 0.0f}) {
      for (const bool quantises : {false, true}) {
        SCOPED_TRACE(testing::Message() << transposed << ", " << low << ", " << quantises);
        Model model;
        const Source a = quantized(model, "a/levels", parameter(model, "a", {2, 3, 101, 13}), -0.5f, 2.6875f);
        const Shape shape = transposed ? Shape{1, 3, 19, 13} : Shape{1, 3, 13, 19};
        const Source b = quantized(model, "b/levels",
                                   parameter(model, "b", {1, 3, Dimension(shape[2]), Dimension(shape[3])}),
                                   low, low < 0 ? 0.9921875f : 1);
        Source y = add(model, "MatMul", "product", {a, b}, {{"transpose_b", transposed ? "true" : "false"}});
        if (quantises) {
          y = add(model, "Multiply", "scaled", {y, floats(model, "factor", {}, {0.5f})});
          y = quantized(model, "y/levels", y, -1, 2.984375f);
          y = add(model, "MatMul", "second", {y, matrix(model, "w", ElementType::kI8, {7, 19})},
                  {{"transpose_b", "true"}});
        }
        result(model, y);
        check(model,
              std::string("Parameter a; Parameter b; Quantize a/levels(a); Quantize b/levels(b); "
                          "IntegerBatchMatMul product(a/levels, b/levels)") +
                  (quantises ? "; IntegerMatMul second(product)" : ""),
              0.02f);
      }
    }
  }
}

// A residual of u8, an activation that is no clamp, and a reader in f32.
TEST(ComputeInIntegers, MatMulsWithResiduals) {
  Model model;
  const Source x = quantized(model, "levels", parameter(model, "x", {3, 5, 12}), -1, 0.9921875f);
  Source y = add(model, "MatMul", "first", {x, matrix(model, "w", ElementType::kI8, {12, 12})},
                 {{"transpose_b", "true"}});
  y = quantized(model, "y/levels", add(model, "Gelu", "gelu", {add(model, "Add", "sum", {y, x})}), -0.25f,
                1.7421875f);
  result(model, add(model, "MatMul", "second", {y, matrix(model, "v", ElementType::kI8, {7, 12})},
                    {{"transpose_b", "true"}}));
  result(model, y);
  check(model,
        "Parameter x; Quantize levels(x); IntegerMatMul first(levels, levels); IntegerMatMul second(first); "
        "Dequantize y/levels(first)",
        0.02f);
}

// With dynamic dimensions, a plan may still broadcast the residual.
TEST(ComputeInIntegers, ResidualsWithDynamicDimensions) {
  Model model;
  const Source x = quantized(model, "levels", parameter(model, "x", {1, Dimension(), 12}), -1, 0.9921875f);
  const Source residual = parameter(model, "r", {1, Dimension(), 12});
  Source y = add(model, "MatMul", "first", {x, matrix(model, "w", ElementType::kI8, {12, 12})},
                 {{"transpose_b", "true"}});
  y = add(model, "Relu", "relu", {add(model, "Add", "sum", {y, residual})});
  y = quantized(model, "y/levels", y, 0, 2);
  result(model, add(model, "MatMul", "second", {y, matrix(model, "v", ElementType::kI8, {7, 12})},
                    {{"transpose_b", "true"}}));
  model.index();
  model.infer();
  const std::vector<std::vector<Shape>> shapes = {
      {{1, 5, 12}, {1, 5, 12}}, {{1, 5, 12}, {1, 1, 12}}, {{1, 1, 12}, {1, 4, 12}}};
  std::vector<std::vector<Tensor>> expected;
  for (const auto& sizes : shapes) expected.push_back(compute_for(model, sizes));
  prepare(model);
  compute_in_integers(model, registry());
  model.index();
  EXPECT_FALSE(store_levels(model, registry()));
  EXPECT_EQ(outline(model),
            "Parameter x; Parameter r; Quantize levels(x); IntegerMatMul first(levels, r); Quantize "
            "y/levels(first); IntegerMatMul second(y/levels)");
  for (size_t i = 0; i < shapes.size(); ++i) {
    SCOPED_TRACE(i);
    expect_same(compute_for(model, shapes[i]), expected[i], 0.02f);
  }
}

// Parts of what is quantised are quantised.
TEST(ComputeInIntegers, Splits) {
  Model model;
  const Source x = quantized(model, "levels", parameter(model, "x", {4, 10}), -1, 0.9921875f);
  const Source parts =
      add(model, "Split", "parts", {x, {model.add_constant("axis", Tensor::of<int64_t>({}, {1})), 0}},
          {{"num_splits", "2"}}, 2);
  for (size_t i = 0; i < 2; ++i) {
    const std::string name = "y" + std::to_string(i);
    result(model,
           add(model, "MatMul", name, {{parts.node, i}, matrix(model, name + "/w", ElementType::kI8, {8, 5})},
               {{"transpose_b", "true"}}));
  }
  check(model,
        "Parameter x; Quantize levels(x); Split parts(levels); IntegerMatMul y0(parts); IntegerMatMul "
        "y1(parts:1)");
}

// Elementwise operations between two FakeQuantizes, with one table for all channels or one for each.
TEST(ComputeInIntegers, FunctionsOfLevels) {
  for (const bool by_channel : {false, true}) {
    SCOPED_TRACE(by_channel);
    Model model;
    const Source x = quantized(model, "levels", parameter(model, "x", {1, 5, 6, 7}), -1, 0.9921875f);
    Source y = convolution(model, "first", x, filters(model, "w", ElementType::kI8, {6, 5, 3, 3}));
    y = quantized(model, "y/levels", y, -4, 3.96875f);
    y = by_channel ? add(model, "PRelu", "function", {y, weights(model, "slopes", {6})})
                   : add(model, "Swish", "function", {y});
    y = add(model, "Add", "shifted", {y, floats(model, "shift", {}, {0.25f})});
    y = quantized(model, "z/levels", y, -1, 2.984375f);
    result(model, convolution(model, "second", y, filters(model, "v", ElementType::kI8, {4, 6, 3, 3})));
    check(
        model,
        "Parameter x; Quantize levels(x); Transpose first/channels_last(levels); IntegerConvolution "
        "first(first/channels_last); LookUp z/levels(first); IntegerConvolution second(z/levels); Transpose "
        "second/channels_first(second)",
        0.05f);
  }
}

// One table does what two would do, with or without tables by channel. The levels in between have another
// user.
TEST(ComputeInIntegers, FunctionsOfFunctions) {
  for (const auto& [first, second] : {std::pair{"Swish", "PRelu"}, {"PRelu", "Swish"}, {"PRelu", "PRelu"}}) {
    SCOPED_TRACE(first + std::string(second));
    Model model;
    const auto function = [&](const std::string& type, const std::string& name, Source x) {
      return type == "PRelu" ? add(model, type, name, {x, weights(model, name + "/slopes", {6})})
                             : add(model, type, name, {x});
    };
    const Source x = quantized(model, "levels", parameter(model, "x", {1, 5, 6, 7}), -1, 0.9921875f);
    Source y = convolution(model, "y", x, filters(model, "w", ElementType::kI8, {6, 5, 3, 3}));
    y = quantized(model, "y/levels", y, -1, 0.9921875f);
    y = quantized(model, "f/levels", function(first, "f", y), -0.5f, 1.4921875f);
    const Source z = quantized(model, "g/levels", function(second, "g", y), -0.25f, 1.7421875f);
    result(model, convolution(model, "a", y, filters(model, "a/w", ElementType::kI8, {4, 6, 3, 3})));
    result(model, convolution(model, "b", z, filters(model, "b/w", ElementType::kI8, {4, 6, 3, 3})));
    check(model,
          "Parameter x; Quantize levels(x); Transpose y/channels_last(levels); IntegerConvolution "
          "y(y/channels_last); LookUp f/levels(y); IntegerConvolution a(f/levels); Transpose "
          "a/channels_first(a); LookUp g/levels(y); IntegerConvolution b(g/levels); Transpose "
          "b/channels_first(b)",
          0.05f);
  }
}

// x * sigmoid(x) as onnxruntime quantises it, and a function with two paths from its value.
TEST(ComputeInIntegers, FunctionsThatReadOneValueTwice) {
  for (const bool quantised_in_between : {false, true}) {
    SCOPED_TRACE(quantised_in_between);
    Model model;
    const Source x = quantized(model, "levels", parameter(model, "x", {1, 5, 6, 7}), -1, 0.9921875f);
    Source y = convolution(model, "first", x, filters(model, "w", ElementType::kI8, {6, 5, 3, 3}));
    y = quantized(model, "y/levels", y, -4, 3.96875f);
    Source gate = add(model, "Sigmoid", "gate", {y});
    if (quantised_in_between) gate = quantized(model, "gate/levels", gate, 0, 0.99609375f);
    y = quantized(model, "z/levels", add(model, "Multiply", "product", {y, gate}), -1, 2.984375f);
    result(model, convolution(model, "second", y, filters(model, "v", ElementType::kI8, {4, 6, 3, 3})));
    check(
        model,
        "Parameter x; Quantize levels(x); Transpose first/channels_last(levels); IntegerConvolution "
        "first(first/channels_last); LookUp z/levels(first); IntegerConvolution second(z/levels); Transpose "
        "second/channels_first(second)",
        0.05f);
  }
}

// Functions of two values stay functions of two values.
TEST(ComputeInIntegers, FunctionsOfTwoValues) {
  Model model;
  const Source x = quantized(model, "levels", parameter(model, "x", {1, 5, 6, 7}), -1, 0.9921875f);
  const auto half = [&](const std::string& name) {
    const Source y = convolution(model, name, x, filters(model, name + "/w", ElementType::kI8, {6, 5, 3, 3}));
    return quantized(model, name + "/levels", y, -4, 3.96875f);
  };
  const Source gate =
      quantized(model, "gate/levels", add(model, "Sigmoid", "gate", {half("b")}), 0, 0.99609375f);
  const Source y =
      quantized(model, "z/levels", add(model, "Multiply", "product", {half("a"), gate}), -1, 2.984375f);
  result(model, convolution(model, "second", y, filters(model, "v", ElementType::kI8, {4, 6, 3, 3})));
  check(
      model,
      "Parameter x; Quantize levels(x); Transpose levels/channels_last(levels); IntegerConvolution "
      "a(levels/channels_last); IntegerConvolution b(levels/channels_last); LookUp gate/levels(b); "
      "IntegerBinary "
      "product(a, gate/levels); IntegerConvolution second(product); Transpose second/channels_first(second)",
      0.05f);
}

// A second FakeQuantize keeps the levels only if its input range is its output range.
TEST(ComputeInIntegers, OneFakeQuantizeAfterAnother) {
  for (const float factor : {1.0f, 2.0f}) {
    SCOPED_TRACE(factor);
    Model model;
    const Source low = floats(model, "low", {}, {-1}), high = floats(model, "high", {}, {0.9921875f}),
                 out_low = floats(model, "out_low", {}, {-factor}),
                 out_high = floats(model, "out_high", {}, {0.9921875f * factor});
    Source x = parameter(model, "x", {1, 5, 6, 7});
    for (const char* name : {"once", "twice"})
      x = add(model, "FakeQuantize", name, {x, low, high, out_low, out_high}, {{"levels", "256"}});
    result(model, convolution(model, "y", x, filters(model, "w", ElementType::kI8, {8, 5, 3, 3})));
    check(model, factor == 1
                     ? "Parameter x; Quantize once(x); Transpose y/channels_last(once); IntegerConvolution "
                       "y(y/channels_last); Transpose y/channels_first(y)"
                     : "Parameter x; Quantize once(x); LookUp twice(once); Transpose "
                       "y/channels_last(twice); IntegerConvolution y(y/channels_last); Transpose "
                       "y/channels_first(y)");
  }
}

// SmoothQuant of NNCF multiplies by channel before it quantises. A batch norm also adds.
TEST(ComputeInIntegers, StepsByChannelBeforeLevels) {
  Model model;
  const std::vector<float> factors = {0.5f, 1.5f, 0.75f, 1, 2, 0.25f, 1.25f, 3, 0.3f, 0.7f, 1.1f, 0.9f};
  const auto smooth = [&](const std::string& name, Source x) {
    return add(model, "Multiply", name, {x, floats(model, name + "/factors", {1, 1, 12}, factors)});
  };
  const Source x = parameter(model, "x", {1, 5, 12});
  Source y = quantized(model, "levels", smooth("scaled", x), -1, 0.9921875f);
  y = add(model, "MatMul", "first", {y, matrix(model, "w", ElementType::kI8, {12, 12})},
          {{"transpose_b", "true"}});
  y = smooth("rescaled", add(model, "Gelu", "gelu", {y}));
  y = add(model, "Subtract", "shifted", {y, weights(model, "shifts", {12})});
  y = quantized(model, "y/levels", y, -1, 2.984375f);
  result(model, add(model, "MatMul", "second", {y, matrix(model, "v", ElementType::kI8, {7, 12})},
                    {{"transpose_b", "true"}}));
  check(model, "Parameter x; Quantize levels(x); IntegerMatMul first(levels); IntegerMatMul second(first)",
        0.02f);
}

// FakeQuantize of a matmul in integers, for a user in f32.
TEST(ComputeInIntegers, StoresLevelsForUsersInF32) {
  Model model;
  const Source x = quantized(model, "levels", parameter(model, "x", {3, 5, 12}), -1, 0.9921875f);
  const Source y = add(model, "MatMul", "first", {x, matrix(model, "w", ElementType::kI8, {9, 12})},
                       {{"transpose_b", "true"}});
  result(model, add(model, "Exp", "exp", {quantized(model, "y/levels", y, -1.5f, 1.48828125f)}));
  check(model,
        "Parameter x; Quantize levels(x); IntegerMatMul first(levels); Dequantize y/levels(first); Exp "
        "exp(y/levels)",
        0.05f);
}

// With sizes rounded up and a stride larger than the kernel, the last window begins behind the data: its
// maximum is no level.
TEST(ComputeInIntegers, MaximaOfWindowsThatMayBeEmpty) {
  for (const char* auto_pad : {"valid", "explicit"}) {
    for (const bool empty : {false, true}) {
      SCOPED_TRACE(testing::Message() << auto_pad << ", " << empty);
      Model model;
      const Source x = quantized(model, "levels", parameter(model, "x", {1, 5, 5, 5}), -1, 0.9921875f);
      Source y = convolution(model, "first", x, filters(model, "w", ElementType::kI8, {6, 5, 1, 1}));
      y = quantized(model, "y/levels", y, -1, 0.9921875f);
      y = add(model, "MaxPool", "pool", {y},
              {{"kernel", empty ? "1,1" : "3,3"},
               {"strides", "3,3"},
               {"pads_begin", "0,0"},
               {"pads_end", "0,0"},
               {"rounding_type", "ceil"},
               {"auto_pad", auto_pad}});
      result(model, convolution(model, "second", y, filters(model, "v", ElementType::kI8, {4, 6, 1, 1})));
      const std::string before =
          "Parameter x; Quantize levels(x); Transpose first/channels_last(levels); IntegerConvolution "
          "first(first/channels_last); ";
      check(model,
            before + (empty ? "Dequantize y/levels(first); ChannelsLastPooling pool(y/levels); "
                              "FusedConvolution second(pool)"
                            : "IntegerMaxPool pool(first); IntegerConvolution second(pool); Transpose "
                              "second/channels_first(second)"),
            0.03f);
    }
  }
}

TEST(ComputeInIntegers, Means) {
  for (const bool keep : {false, true}) {
    SCOPED_TRACE(keep);
    Model model;
    const Source x = quantized(model, "levels", parameter(model, "x", {2, 5, 6, 7}), -1, 0.9921875f);
    Source y = convolution(model, "first", x, filters(model, "w", ElementType::kI8, {6, 5, 3, 3}));
    y = quantized(model, "y/levels", add(model, "Relu", "relu", {y}), -0.5004f, 2.0496f);
    y = add(model, "AvgPool", "pool", {y},
            {{"kernel", "2,3"},
             {"strides", "1,2"},
             {"pads_begin", "1,1"},
             {"pads_end", "0,1"},
             {"exclude-pad", keep ? "true" : "false"}});
    y = quantized(model, "pool/levels", y, -0.1998f, 2.3502f);
    y = add(model, "ReduceMean", "mean", {y, integers(model, "axes", {2, 3})},
            {{"keep_dims", keep ? "true" : "false"}});
    y = quantized(model, "mean/levels", y, -0.2f, 1.075f);
    const std::string before =
        "Parameter x; Quantize levels(x); Transpose first/channels_last(levels); IntegerConvolution "
        "first(first/channels_last); IntegerMean pool(first); IntegerMean mean(pool); ";
    if (keep) {
      const Source w = filters(model, "v", ElementType::kI8, {4, 6, 1, 1});
      result(model, add(model, "Convolution", "second", {y, w}));
      check(model, before + "IntegerConvolution second(mean); Transpose second/channels_first(second)",
            0.03f);
    } else {
      const Source w = matrix(model, "v", ElementType::kI8, {4, 6});
      result(model, add(model, "MatMul", "second", {y, w}, {{"transpose_b", "true"}}));
      check(model, before + "IntegerMatMul second(mean)", 0.03f);
    }
  }
}

// Along the last axes, and along others, where data may have levels by channel. Factors by channel before the
// next FakeQuantize are part of the store.
TEST(ComputeInIntegers, Mvn) {
  constexpr int64_t kChannels = 83;  // more than a unit of work, with an incomplete vector
  std::vector<float> low, high, factors;
  for (int64_t i = 0; i < kChannels; ++i) {
    low.push_back(-0.5f - 0.01f * static_cast<float>(i));
    high.push_back(low.back() * -127 / 128);
    factors.push_back(0.25f + 0.005f * static_cast<float>(i));
  }
  for (const bool last : {false, true}) {
    for (const bool inside : {false, true}) {
      for (const bool quantises : {false, true}) {
        SCOPED_TRACE(testing::Message() << last << ", " << inside << ", " << quantises);
        Model model;
        Source y = parameter(model, "x", {2, 3, Dimension(), kChannels});
        const Source bounds[] = {floats(model, "low", {kChannels}, low),
                                 floats(model, "high", {kChannels}, high)};
        y = last ? quantized(model, "levels", y, -1, 0.9921875f)
                 : add(model, "FakeQuantize", "levels", {y, bounds[0], bounds[1], bounds[0], bounds[1]},
                       {{"levels", "256"}});
        y = add(model, "MVN", "mvn",
                {y, last ? integers(model, "axes", {2, -1}) : integers(model, "axes", {1, 2})},
                {{"eps", "0.001"},
                 {"normalize_variance", "true"},
                 {"eps_mode", inside ? "inside_sqrt" : "outside_sqrt"}});
        if (quantises) {
          y = add(model, "Multiply", "scaled",
                  {y, last ? floats(model, "factor", {}, {0.5f})
                           : floats(model, "factors", {kChannels}, factors)});
          y = quantized(model, "y/levels", y, -1, 0.9921875f);
          const Source w = matrix(model, "w", ElementType::kI8, {4, kChannels});
          y = add(model, "MatMul", "product", {y, w}, {{"transpose_b", "true"}});
        }
        result(model, y);
        check(model,
              std::string("Parameter x; Quantize levels(x); IntegerMvn mvn(levels)") +
                  (quantises ? "; IntegerMatMul product(mvn)" : ""),
              quantises ? 0.02f : 1e-4f);
      }
    }
  }
}

// In f32, MVN is faster along rows.
TEST(ComputeInIntegers, InstanceNormsStayChannelsFirstInF32) {
  const auto input_of_mvn = [](const PassOptions& options) {
    Model model;
    Source y =
        convolution(model, "y", parameter(model, "x", {2, 5, 6, 7}), weights(model, "w", {6, 5, 3, 3}));
    y = add(model, "MVN", "mvn",
            {quantized(model, "levels", y, -2, 1.984375f), integers(model, "axes", {2, 3})},
            {{"eps", "0.001"}, {"normalize_variance", "true"}, {"eps_mode", "inside_sqrt"}});
    result(model, convolution(model, "z", y, weights(model, "v", {4, 6, 3, 3})));
    model.index();
    model.infer();
    run_passes(model, registry(), options);
    for (const auto& node : model.nodes) {
      if (node->name == "mvn") return node->type + " of " + node->inputs[0].node->type;
    }
    return std::string();
  };
  EXPECT_EQ(input_of_mvn({}), "IntegerMvn of Quantize");
  EXPECT_EQ(input_of_mvn({.integers = false}), "MVN of Transpose");
  EXPECT_EQ(input_of_mvn({.skipped = "compute_in_integers"}), "MVN of Transpose");
}

// An instance norm between convolutions stays in their layout. The Relu is that of the range.
TEST(ComputeInIntegers, InstanceNorms) {
  for (const float low : {0.0f, -1.0f}) {
    SCOPED_TRACE(low);
    Model model;
    const Source x =
        quantized(model, "levels", parameter(model, "x", {2, 5, Dimension(), 7}), -1, 0.9921875f);
    Source y = convolution(model, "first", x, filters(model, "w", ElementType::kI8, {6, 5, 3, 3}));
    y = add(model, "MVN", "mvn",
            {quantized(model, "y/levels", y, -2, 1.984375f), integers(model, "axes", {2, -1})},
            {{"eps", "0.001"}, {"normalize_variance", "true"}, {"eps_mode", "inside_sqrt"}});
    y = add(model, "Multiply", "gamma", {y, weights(model, "g", {1, 6, 1, 1})});
    y = add(model, "Add", "beta", {y, weights(model, "b", {1, 6, 1, 1})});
    y = quantized(model, "z/levels", add(model, "Relu", "relu", {y}), low, low == 0 ? 1 : 0.9921875f);
    result(model, convolution(model, "second", y, filters(model, "v", ElementType::kI8, {4, 6, 3, 3})));
    check(model,
          std::string("Parameter x; Quantize levels(x); Transpose first/channels_last(levels); "
                      "IntegerConvolution first(first/channels_last); IntegerMvn mvn(first); ") +
              (low == 0 ? "IntegerConvolution second(mvn)"
                        : "Relu relu(mvn); Quantize z/levels(relu); "
                          "IntegerConvolution second(z/levels)") +
              "; Transpose second/channels_first(second)",
          0.03f);
  }
}

// Of equal elements, all differences are 0, although eps is small.
TEST(ComputeInIntegers, MvnOfEqualElements) {
  Model model;
  Source y =
      add(model, "Multiply", "equal", {parameter(model, "x", {2, 400}), floats(model, "zero", {}, {0})});
  y = add(model, "Add", "shifted", {y, floats(model, "number", {}, {0.7f})});
  y = add(model, "MVN", "mvn", {quantized(model, "levels", y, -1, 0.9921875f), integers(model, "axes", {1})},
          {{"eps", "1e-12"}, {"normalize_variance", "true"}, {"eps_mode", "inside_sqrt"}});
  result(model, y);
  model.index();
  model.infer();
  prepare(model);
  EXPECT_TRUE(compute_in_integers(model, registry()));
  model.index();
  const std::vector<Tensor> got = compute(model);
  for (size_t i = 0; i < got[0].size(); ++i) ASSERT_EQ(got[0].data<float>()[i], 0) << i;
}

// What copies elements copies levels. Pads are the level of the pad value.
TEST(ComputeInIntegers, Copies) {
  Model model;
  const Source x = quantized(model, "levels", parameter(model, "x", {1, 5, 6, 7}), -1, 0.9921875f);
  Source y = convolution(model, "first", x, filters(model, "w", ElementType::kI8, {8, 5, 3, 3}));
  y = quantized(model, "y/levels", y, -2, 1.984375f);
  y = add(model, "Interpolate", "larger",
          {y, floats(model, "scales", {2}, {2, 2}), integers(model, "axes", {2, 3})},
          {{"mode", "nearest"}, {"shape_calculation_mode", "scales"}});
  const Source pads = integers(model, "pads", {0, 0, 1, 2});
  y = add(model, "Pad", "padded", {y, pads, pads, floats(model, "value", {}, {0.5f})},
          {{"pad_mode", "constant"}});
  result(model, convolution(model, "second", y, filters(model, "v", ElementType::kI8, {4, 8, 3, 3})));
  check(model,
        "Parameter x; Quantize levels(x); Transpose first/channels_last(levels); IntegerConvolution "
        "first(first/channels_last); Interpolate larger(first); Pad padded(larger); IntegerConvolution "
        "second(padded); Transpose second/channels_first(second)",
        0.03f);
}

// A part of a Concat: channels that are computed from the five of `x`.
Source part(Model& model, const std::string& name, Source x, int64_t channels) {
  return convolution(model, name, x, filters(model, name + "/w", ElementType::kI8, {channels, 5, 3, 3}));
}

// Parts that are quantised in different ways, or not at all, get the levels of the FakeQuantize after Concat.
TEST(ComputeInIntegers, ConcatBeforeLevels) {
  Model model;
  const Source x = quantized(model, "levels", parameter(model, "x", {1, 5, 6, 7}), -1, 0.9921875f);
  const Source a = part(model, "a", x, 8);
  Source b = part(model, "b", x, 6);
  b = quantized(model, "b/levels", b, -1, 0.9921875f);
  const Source c =
      quantized(model, "sum/levels", add(model, "Concat", "sum", {a, b}, {{"axis", "1"}}), -2, 1.984375f);
  result(model, convolution(model, "y", c, filters(model, "w", ElementType::kI8, {4, 14, 3, 3})));
  check(model,
        "Parameter x; Quantize levels(x); Transpose levels/channels_last(levels); IntegerConvolution "
        "a(levels/channels_last); IntegerConvolution b(levels/channels_last); LookUp sum/levels/1(b); Concat "
        "sum(a, sum/levels/1); IntegerConvolution y(sum); Transpose y/channels_first(y)",
        0.05f);
}

// The ranges of channels go to the input that has them. GhostNet reads the first input twice.
TEST(ComputeInIntegers, ConcatBeforeLevelsByChannel) {
  Model model;
  const Source x = quantized(model, "levels", parameter(model, "x", {2, 5, 6, 7}), -1, 0.9921875f);
  const Source a = part(model, "a", x, 8);
  Source b = quantized_by_channel(model, "a/levels", a, 8);
  b = add(model, "Relu", "b", {depthwise(model, "cheap", b, 8)});
  const Source sum = add(model, "Concat", "sum", {a, b}, {{"axis", "1"}});
  const Source c = quantized_by_channel(model, "sum/levels", sum, 16, 0.75f);
  result(model, depthwise(model, "y", c, 16));
  check(model,
        "Parameter x; Quantize levels(x); Transpose a/channels_last(levels); IntegerConvolution "
        "a(a/channels_last); Quantize sum/levels/0(a); Quantize a/levels(a); IntegerConvolution "
        "cheap(a/levels); Concat sum(sum/levels/0, cheap); IntegerConvolution y(sum); Transpose "
        "y/channels_first(y)",
        0.05f);
}

// Channels may be quantised in different ways to the same numbers. Any convolution takes these.
TEST(ComputeInIntegers, ConcatBeforeLevelsFromChannels) {
  Model model;
  const Source x = quantized(model, "levels", parameter(model, "x", {1, 5, 6, 7}), -1, 0.9921875f);
  const Source a = part(model, "a", x, 3);
  const Source b = part(model, "b", x, 2);
  const Source sum = add(model, "Concat", "sum", {a, b}, {{"axis", "1"}});
  const Source low = floats(model, "low", {}, {0}), high = floats(model, "high", {}, {2.55f}),
               highs = floats(model, "highs", {1, 5, 1, 1}, {1, 1.5f, 2, 2.5f, 3});
  const Source c =
      add(model, "FakeQuantize", "sum/levels", {sum, low, highs, low, high}, {{"levels", "256"}});
  result(model, convolution(model, "y", c, filters(model, "w", ElementType::kI8, {4, 5, 3, 3})));
  check(model,
        "Parameter x; Quantize levels(x); Transpose levels/channels_last(levels); IntegerConvolution "
        "a(levels/channels_last); IntegerConvolution b(levels/channels_last); Concat sum(a, b); "
        "IntegerConvolution y(sum); Transpose y/channels_first(y)",
        0.05f);
}

// One constant holds 8 filters of one group, and one filter of 8 channels.
TEST(ComputeInIntegers, FiltersThatAreReadInTwoForms) {
  Model model;
  const Source line = quantized(model, "line/levels", parameter(model, "line", {1, 4, 9}), -1, 0.9921875f);
  const Source picture =
      quantized(model, "picture/levels", parameter(model, "picture", {1, 8, 9, 9}), -1, 0.9921875f);
  const Source values = in_f32(model, "w/f32", stored(model, "w/stored", ElementType::kI8, {1, 8, 4, 3}, 3));
  const Source w = add(model, "Multiply", "w", {values, floats(model, "w/scale", {}, {0.002f})});
  result(model, add(model, "GroupConvolution", "grouped", {line, w}));
  result(model, add(model, "Convolution", "dense", {picture, w}));
  model.index();
  model.infer();
  const std::vector<Tensor> expected = compute(model);
  prepare(model);
  EXPECT_TRUE(compute_in_integers(model, registry()));
  model.index();
  expect_same(compute(model), expected, 2e-3f);
}

TEST(ComputeInIntegers, ConcatOfConcatsBeforeLevels) {
  for (const bool other_user : {false, true}) {
    SCOPED_TRACE(other_user);
    Model model;
    const Source x = quantized(model, "levels", parameter(model, "x", {1, 5, 6, 7}), -1, 0.9921875f);
    const auto part = [&](const std::string& name) {
      return convolution(model, name, x, filters(model, name + "/w", ElementType::kI8, {8, 5, 3, 3}));
    };
    const Source inner = add(model, "Concat", "inner", {part("a"), part("b")}, {{"axis", "1"}});
    Source y = add(model, "Concat", "outer", {inner, part("c")}, {{"axis", "1"}});
    y = quantized(model, "y/levels", y, -2, 1.984375f);
    result(model, convolution(model, "y", y, filters(model, "w", ElementType::kI8, {4, 24, 3, 3})));
    if (other_user) result(model, add(model, "Exp", "exp", {inner}));
    const std::string before =
        "Parameter x; Quantize levels(x); Transpose levels/channels_last(levels); IntegerConvolution "
        "a(levels/channels_last); IntegerConvolution b(levels/channels_last); ";
    check(
        model,
        before + (other_user ? "Concat inner(a, b); Quantize y/levels/0(inner); IntegerConvolution "
                               "c(levels/channels_last); Concat outer(y/levels/0, c); IntegerConvolution "
                               "y(outer); Transpose y/channels_first(y); Exp exp(inner); Transpose "
                               "exp/channels_first(exp)"
                             : "Concat inner(a, b); IntegerConvolution c(levels/channels_last); Concat "
                               "outer(inner, c); IntegerConvolution y(outer); Transpose y/channels_first(y)"),
        0.05f);
  }
}

TEST(ComputeInIntegers, LeavesRangesThatU8CannotHold) {
  for (const std::pair<float, float>& range :
       {std::pair<float, float>{0.5f, 1}, {-1, -0.5f}, {-0.33f, 0.5f}}) {
    Model model;
    const Source x =
        quantized(model, "levels", parameter(model, "x", {1, 5, 6, 7}), range.first, range.second);
    result(model, convolution(model, "y", x, filters(model, "w", ElementType::kI8, {8, 5, 3, 3})));
    check(model, "Parameter x; FakeQuantize levels(x); FusedConvolution y(levels)");
  }
}

// The zero point is 0.058 levels from an integer: little of 256 levels, too much of two.
TEST(ComputeInIntegers, ZeroPointsAreExactEnoughForThePadding) {
  for (const char* levels : {"256", "2"}) {
    SCOPED_TRACE(levels);
    const float range = levels == std::string("2") ? 1.0f : 255.0f;
    Model model;
    const Source low = floats(model, "low", {}, {-0.058f}),
                 high = floats(model, "high", {}, {range - 0.058f});
    const Source x = add(model, "FakeQuantize", "levels",
                         {parameter(model, "x", {1, 5, 6, 7}), low, high, low, high}, {{"levels", levels}});
    const Source y = convolution(model, "y", x, filters(model, "w", ElementType::kI8, {8, 5, 3, 3}));
    result(model, y);
    model.index();
    model.infer();
    prepare(model);
    EXPECT_EQ(compute_in_integers(model, registry()), range == 255.0f);
  }
}

// Shapes that only the run finds. Their steps are compiled during the run.
TEST(ComputeInIntegers, ShapesThatTheRunFinds) {
  Model model;
  Source x = add(model, "NonZero", "indices", {parameter(model, "x", {4, 8})}, {{"output_type", "i64"}});
  x = quantized(model, "levels", add(model, "Convert", "numbers", {x}, {{"destination_type", "f32"}}), 0,
                255);
  x = add(model, "Transpose", "turned", {x, integers(model, "order", {1, 0})});
  result(model, add(model, "MVN", "mvn", {x, integers(model, "axes", {0})},
                    {{"normalize_variance", "true"}, {"eps", "1e-5"}, {"eps_mode", "inside_sqrt"}}));
  check(model,
        "Parameter x; NonZero indices(x); Convert numbers(indices); Quantize levels(numbers); Transpose "
        "turned(levels); IntegerMvn mvn(turned)");
}

// A model whose operations do not accept the quantised values stays as it was.
TEST(ComputeInIntegers, LeavesNothingBehind) {
  Model model;
  const Source a = quantized(model, "a", parameter(model, "x", {1, 2, 3}), -1, 0.9921875f),
               b = quantized(model, "b", parameter(model, "y", {1, 2, 3}), -2, 1.984375f);
  result(model, add(model, "ReduceMean", "mean",
                    {add(model, "Concat", "all", {a, b}, {{"axis", "2"}}), integers(model, "axes", {2})}));
  prepare(model);
  model.index();
  const size_t nodes = model.nodes.size();
  EXPECT_FALSE(compute_in_integers(model, registry()));
  EXPECT_EQ(model.nodes.size(), nodes);
}

// Quantisation by channel of the data, one meaning of the levels: a reshaped value has other channels.
TEST(ComputeInIntegers, ChannelsThatOnlyTheDataHad) {
  Model model;
  const Source low = floats(model, "low", {}, {0}), high = floats(model, "high", {1, 1, 3}, {1, 2, 4}),
               out_high = floats(model, "out_high", {}, {1});
  Source a = add(model, "FakeQuantize", "a", {parameter(model, "x", {1, 4, 3}), low, high, low, out_high},
                 {{"levels", "256"}});
  a = add(model, "Reshape", "row", {a, integers(model, "shape", {1, 1, 12})});
  const Source highs = floats(model, "highs", {1, 1, 2}, {1, 2});
  const Source b = add(model, "FakeQuantize", "b", {parameter(model, "y", {1, 1, 2}), low, highs, low, highs},
                       {{"levels", "256"}});
  const Source all = add(model, "Concat", "all", {a, b}, {{"axis", "2"}});
  result(model, add(model, "MVN", "mvn", {all, integers(model, "axes", {1})},
                    {{"normalize_variance", "false"}, {"eps", "1e-5"}, {"eps_mode", "inside_sqrt"}}));
  model.index();
  model.infer();
  const std::vector<Tensor> expected = compute(model);
  prepare(model);
  compute_in_integers(model, registry());
  model.index();
  expect_same(compute(model), expected, 2e-3f);
}

// Chains of any length are valid models.
TEST(ComputeInIntegers, LongChains) {
  Model model;
  Source x = parameter(model, "x", {1, 8});
  for (int i = 0; i < 20'000; ++i) {
    const std::string name = "levels" + std::to_string(i);
    x = add(model, "Relu", name + "/relu", {quantized(model, name, x, 0, 2.55f)});
  }
  const Source w = matrix(model, "w", ElementType::kI8, {4, 8});
  result(model, add(model, "MatMul", "product", {quantized(model, "last", x, 0, 2.55f), w},
                    {{"transpose_b", "true"}}));
  model.index();
  model.infer();
  prepare(model);
  EXPECT_TRUE(compute_in_integers(model, registry()));
}

TEST(ComputeInIntegers, LongChainsOfConcats) {
  Model model;
  const Source part = parameter(model, "x", {1, 1, 2});
  Source x = part;
  for (int i = 0; i < 20'000; ++i)
    x = add(model, "Concat", "concat" + std::to_string(i), {x, part}, {{"axis", "1"}});
  const Source w = matrix(model, "w", ElementType::kI8, {4, 2});
  result(model, add(model, "MatMul", "product", {quantized(model, "last", x, 0, 2.55f), w},
                    {{"transpose_b", "true"}}));
  model.index();
  model.infer();
  prepare(model);
  EXPECT_TRUE(compute_in_integers(model, registry()));
}

// Slopes that are quantised are not the data of a PRelu.
TEST(ComputeInIntegers, KeepsQuantisedSlopes) {
  Model model;
  const Source slopes = quantized(model, "slopes", parameter(model, "x", {1, 8}), -1, 0.9921875f);
  const Source data = floats(model, "data", {1, 8}, {-3, -2, -1, 0, 1, 2, 3, 4});
  const Source y =
      quantized(model, "y/levels", add(model, "PRelu", "function", {data, slopes}), -4, 3.96875f);
  const Source w = matrix(model, "w", ElementType::kI8, {4, 8});
  result(model, add(model, "MatMul", "product", {y, w}, {{"transpose_b", "true"}}));
  model.index();
  model.infer();
  prepare(model);
  EXPECT_TRUE(compute_in_integers(model, registry()));
}

}  // namespace
}  // namespace wasmvino::passes
