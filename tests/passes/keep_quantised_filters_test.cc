// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/fused_convolution.h"
#include "ops/quantised_data/compressed_filters.h"
#include "tests/passes/stored_weights.h"

namespace wasmvino::passes {
namespace {

void check(Model& model, const std::string& before, const std::string& after) {
  check_pass(keep_quantised_filters, model, before, after);
}

// The filters that the convolution in front of result 0 has kept; nullptr where none.
const ops::CompressedFilters* kept(const Model& model) {
  const auto view = ops::as_convolution(*model.results[0]->inputs[0].node);
  return view ? view->fusion.filters.get() : nullptr;
}

TEST(KeepQuantisedFilters, TypesAndScales) {
  for (const ElementType type : {ElementType::kF16, ElementType::kBf16, ElementType::kI8, ElementType::kU8,
                                 ElementType::kI4, ElementType::kU4, ElementType::kU2, ElementType::kNf4,
                                 ElementType::kF4e2m1, ElementType::kF8e4m3, ElementType::kF8e5m2}) {
    for (const Shape& scale : {Shape{8, 1, 1, 1}, Shape{1}, Shape{}}) {
      SCOPED_TRACE(testing::Message() << name(type) << " " << to_string(scale));
      Model model;
      const Source x = parameter(model, "x", {1, 5, Dimension(), 6});
      const Source values = in_f32(model, "values", stored(model, "stored", type, {8, 5, 3, 3}));
      const Source scaled = add(model, "Multiply", "scaled", {weights(model, "scale", scale), values});
      result(model, add(model, "Convolution", "y", {x, scaled}));
      check(model, "Parameter x; Convert values; Multiply scaled(values); Convolution y(x, scaled)",
            "Parameter x; FusedConvolution y(x)");
      ASSERT_NE(kept(model), nullptr);
      EXPECT_EQ(kept(model)->parts().stored->type(), type);
      EXPECT_EQ(kept(model)->parts().scales.size(), 8u);
      // Whoever asks has them expanded.
      const Tensor& filters = model.results[0]->inputs[0].node->inputs[1].node->constant->value();
      EXPECT_EQ(to_string(filters.shape()), "[8,5,3,3]");
    }
  }
}

TEST(KeepQuantisedFilters, PlainHalves) {
  Model model;
  const Source x = parameter(model, "x", {1, 5, 7, 6});
  const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kF16, {8, 5, 1, 1}));
  result(model, add(model, "Convolution", "y", {x, values}));
  check(model, "Parameter x; Convert values; Convolution y(x, values)", "Parameter x; FusedConvolution y(x)");
  ASSERT_NE(kept(model), nullptr);
  EXPECT_TRUE(kept(model)->parts().scales.empty());
}

TEST(KeepQuantisedFilters, GroupsBehindAReshape) {
  Model model;
  const Source x = parameter(model, "x", {1, 8, Dimension(), 6});
  const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kU8, {6, 4, 3, 3}));
  const Source zeros =
      in_f32(model, "zeros", stored(model, "stored_zeros", ElementType::kU8, {6, 1, 1, 1}, 2));
  const Source shifted = add(model, "Subtract", "shifted", {values, zeros});
  const Source scaled = add(model, "Multiply", "scaled", {shifted, weights(model, "scale", {6, 1, 1, 1})});
  const Source grouped =
      add(model, "Reshape", "grouped", {scaled, integers(model, "shape", {2, 3, 4, 3, 3})});
  const Source again = add(model, "Multiply", "again", {grouped, weights(model, "more", {2, 3, 1, 1, 1}, 3)});
  result(model, add(model, "GroupConvolution", "y", {x, again}));
  check(model,
        "Parameter x; Convert values; Convert zeros; Subtract shifted(values, zeros); Multiply "
        "scaled(shifted); Reshape grouped(scaled); Multiply again(grouped); GroupConvolution y(x, again)",
        "Parameter x; FusedConvolution y(x)");
}

TEST(KeepQuantisedFilters, Transposed) {
  for (const bool grouped : {false, true}) {
    Model model;
    const std::string type = grouped ? "GroupConvolutionBackpropData" : "ConvolutionBackpropData";
    const Source x = parameter(model, "x", {1, 6, 5, Dimension()});
    const Shape shape = grouped ? Shape{2, 3, 4, 2, 2} : Shape{6, 4, 2, 2};
    const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kI8, shape));
    const Shape scale = grouped ? Shape{2, 1, 4, 1, 1} : Shape{4, 1, 1};
    const Source scaled = add(model, "Multiply", "scaled", {values, weights(model, "scale", scale)});
    result(model, add(model, type, "y", {x, scaled}, {{"strides", "2,2"}}));
    check(model, "Parameter x; Convert values; Multiply scaled(values); " + type + " y(x, scaled)",
          "Parameter x; FusedConvolution y(x)");
  }
}

// As OpenVINO 2020 and 2021 stored what NNCF had quantized.
TEST(KeepQuantisedFilters, LevelsOfFakeQuantize) {
  for (const bool fits : {true, false}) {
    Model model;
    const Source x = parameter(model, "x", {1, 5, 7, 6});
    Tensor bytes(ElementType::kU8, {4, 5, 3, 3});
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes.mutable_data<uint8_t>()[i] = static_cast<uint8_t>(i % 255);
    // The largest would be taken for 254.
    if (!fits) bytes.mutable_data<uint8_t>()[7] = 255;
    const Source values = in_f32(model, "values", {model.add_constant("stored", bytes), 0});
    const auto floats = [&](const std::string& name, const Shape& shape,
                            std::initializer_list<float> numbers) {
      return Source{model.add_constant(name, Tensor::of<float>(shape, numbers)), 0};
    };
    const Source levels = add(model, "FakeQuantize", "levels",
                              {values, floats("in_low", {}, {0}), floats("in_high", {}, {254}),
                               floats("low", {4, 1, 1, 1}, {-0.5f, -0.25f, -1, -0.7f}),
                               floats("high", {4, 1, 1, 1}, {0.5f, 0.25f, 1, 0.7f})},
                              {{"levels", "255"}});
    result(model, add(model, "Convolution", "y", {x, levels}));
    const std::string before =
        "Parameter x; Convert values; FakeQuantize levels(values); Convolution y(x, levels)";
    check(model, before, fits ? "Parameter x; FusedConvolution y(x)" : before);
    if (fits) {
      EXPECT_EQ(kept(model)->parts().zero_points, std::vector<uint8_t>(4, 127));
    }
  }
}

TEST(KeepQuantisedFilters, BatchNormsBecomeScales) {
  for (const ElementType type : {ElementType::kF16, ElementType::kI8}) {
    Model model;
    const Source x = parameter(model, "x", {1, 5, 7, 6});
    Source values = in_f32(model, "values", stored(model, "stored", type, {8, 5, 3, 3}));
    if (type == ElementType::kI8)
      values = add(model, "Multiply", "scaled", {values, weights(model, "scale", {8, 1, 1, 1})});
    const Source y = add(model, "Convolution", "y", {x, values});
    const Source product = add(model, "Multiply", "product", {y, weights(model, "factors", {1, 8, 1, 1}, 2)});
    result(model, add(model, "Relu", "z",
                      {add(model, "Add", "sum", {product, weights(model, "bias", {8, 1, 1}, 3)})}));
    model.index();
    model.infer();
    const std::vector<Tensor> expected = compute(model);
    run_passes(model, registry());
    EXPECT_EQ(outline(model), "Parameter x; FusedConvolution y(x)");
    ASSERT_NE(kept(model), nullptr);
    EXPECT_EQ(kept(model)->parts().stored->type(), type);
    EXPECT_EQ(kept(model)->parts().scales.size(), 8u);
    expect_same(compute(model), expected);
  }
}

// A product in front of a convolution is one for each input channel.
TEST(KeepQuantisedFilters, ProductsInFrontBecomeScales) {
  for (const bool transposed : {false, true}) {
    Model model;
    const Source x = parameter(model, "x", {1, 5, 7, 6});
    const Shape shape = transposed ? Shape{5, 8, 3, 3} : Shape{8, 5, 3, 3};
    const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kF16, shape));
    const Source product = add(model, "Multiply", "product", {x, weights(model, "factors", {1, 5, 1, 1}, 2)});
    result(model, add(model, transposed ? "ConvolutionBackpropData" : "Convolution", "y", {product, values}));
    model.index();
    model.infer();
    const std::vector<Tensor> expected = compute(model);
    run_passes(model, registry());
    EXPECT_EQ(outline(model), "Parameter x; FusedConvolution y(x)");
    ASSERT_NE(kept(model), nullptr);
    EXPECT_EQ(kept(model)->parts().input_scales.size(), 5u);
    expect_same(compute(model), expected);
  }
}

TEST(KeepQuantisedFilters, ScalesOfInputChannels) {
  const auto kept_with = [](const PartialShape& data, const Shape& filters, const Shape& scale,
                            const std::string& type) {
    SCOPED_TRACE(to_string(filters) + " " + to_string(scale));
    Model model;
    const Source x = parameter(model, "x", data);
    const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kI8, filters));
    const Source scaled = add(model, "Multiply", "scaled", {values, weights(model, "scale", scale)});
    result(model, add(model, type, "y", {x, scaled}));
    check(model, "Parameter x; Convert values; Multiply scaled(values); " + type + " y(x, scaled)",
          "Parameter x; FusedConvolution y(x)");
    ASSERT_NE(kept(model), nullptr);
    EXPECT_FALSE(kept(model)->parts().input_scales.empty());
  };
  const Dimension any;
  kept_with({1, 4, 7, any}, {8, 4, 3, 3}, {1, 4, 1, 1}, "Convolution");
  kept_with({1, 6, 7, any}, {2, 5, 3, 3, 3}, {2, 1, 3, 1, 1}, "GroupConvolution");
  kept_with({1, 4, 7, any}, {4, 8, 2, 2}, {4, 1, 1, 1}, "ConvolutionBackpropData");
  kept_with({1, 6, 7, any}, {2, 3, 4, 2, 2}, {2, 3, 1, 1, 1}, "GroupConvolutionBackpropData");
}

TEST(KeepQuantisedFilters, OneAndThreeDimensions) {
  const auto kept_with = [](const PartialShape& data, const Shape& filters, const std::string& type) {
    SCOPED_TRACE(type + " " + to_string(filters));
    Model model;
    const Source x = parameter(model, "x", data);
    const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kF16, filters));
    std::string ones;
    for (size_t i = 2; i < data.rank(); ++i) ones += i == 2 ? "1" : ",1";
    result(model, add(model, type, "y", {x, values},
                      {{"strides", ones}, {"dilations", ones}, {"pads_begin", ones}, {"pads_end", ones}}));
    check(model, "Parameter x; Convert values; " + type + " y(x, values)",
          "Parameter x; FusedConvolution y(x)");
    EXPECT_NE(kept(model), nullptr);
  };
  const Dimension any;
  kept_with({1, 4, any}, {6, 4, 3}, "Convolution");
  kept_with({1, 4, 5, 6, any}, {6, 4, 3, 3, 3}, "Convolution");
  kept_with({1, 4, any}, {2, 5, 2, 3}, "GroupConvolution");
  kept_with({1, 4, 5, 6, any}, {2, 5, 2, 3, 3, 3}, "GroupConvolution");
  kept_with({1, 4, any}, {4, 6, 3}, "ConvolutionBackpropData");
  kept_with({1, 4, 5, 6, any}, {4, 6, 3, 3, 3}, "ConvolutionBackpropData");
  kept_with({1, 4, any}, {2, 2, 5, 3}, "GroupConvolutionBackpropData");
  kept_with({1, 4, 5, 6, any}, {2, 2, 5, 3, 3, 3}, "GroupConvolutionBackpropData");
}

// Over planes and by channels, over as many as no vector has; filters of a transposed one are a group each.
TEST(KeepQuantisedFilters, Depthwise) {
  const auto kept_with = [](const PartialShape& data, const Shape& filters, const Shape& scale,
                            const std::string& type) {
    for (const ElementType element : {ElementType::kF16, ElementType::kU8, ElementType::kI4}) {
      SCOPED_TRACE(type + " " + to_string(filters) + " " + cat(element));
      Model model;
      const Source x = parameter(model, "x", data);
      Source values = in_f32(model, "values", stored(model, "stored", element, filters));
      std::string before = "Parameter x; Convert values; ", last = "values";
      if (element != ElementType::kF16) {
        Shape zero(filters.size(), 1);
        zero[0] = filters[0];
        const Source zeros = in_f32(model, "zeros", stored(model, "stored_zeros", element, zero, 2));
        values = add(model, "Subtract", "shifted", {values, zeros});
        before += "Convert zeros; Subtract shifted(values, zeros); ";
        last = "shifted";
      }
      const Source scaled = add(model, "Multiply", "scaled", {values, weights(model, "scale", scale)});
      result(model, add(model, type, "y", {x, scaled}));
      check(model, before + "Multiply scaled(" + last + "); " + type + " y(x, scaled)",
            "Parameter x; FusedConvolution y(x)");
      EXPECT_NE(kept(model), nullptr);
    }
  };
  const Dimension any;
  kept_with({1, 13, 9, any}, {13, 1, 1, 3, 3}, {13, 1, 1, 1, 1}, "GroupConvolution");
  kept_with({2, 9, any, 40}, {9, 1, 1, 3, 3}, {9, 1, 1, 1, 1}, "GroupConvolution");
  kept_with({1, 4, 30}, {4, 1, 1, 5}, {1}, "GroupConvolution");
  kept_with({1, 4, 7, any}, {4, 1, 1, 3, 3}, {4, 1, 1, 1, 1}, "GroupConvolutionBackpropData");
}

// As converters of TensorFlow models write them: height, width, input, output.
TEST(KeepQuantisedFilters, TransposesThatMoveElements) {
  Model model;
  const Source x = parameter(model, "x", {1, 5, 7, Dimension()});
  const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kI8, {3, 3, 5, 8}));
  const Source scaled = add(model, "Multiply", "scaled", {values, weights(model, "scale", {8})});
  const Source turned = add(model, "Transpose", "turned", {scaled, integers(model, "order", {3, 2, 0, 1})});
  const Source again = add(model, "Multiply", "again", {turned, weights(model, "more", {8, 1, 1, 1}, 3)});
  result(model, add(model, "Convolution", "y", {x, again}));
  check(model,
        "Parameter x; Convert values; Multiply scaled(values); Transpose turned(scaled); Multiply "
        "again(turned); Convolution y(x, again)",
        "Parameter x; FusedConvolution y(x)");
  ASSERT_NE(kept(model), nullptr);
  // Whoever asks has them in the filters' order.
  Tensor expanded = model.results[0]->inputs[0].node->inputs[1].node->constant->value();
  EXPECT_EQ(to_string(expanded.shape()), "[8,5,3,3]");
}

TEST(KeepQuantisedFilters, ConvolutionsShareFilters) {
  Model model;
  const Source x = parameter(model, "x", {1, 5, 7, 6});
  const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kF16, {5, 5, 3, 3}));
  const Source first = add(model, "Convolution", "first", {x, values});
  result(model, add(model, "Convolution", "y", {first, values}));
  check(model, "Parameter x; Convert values; Convolution first(x, values); Convolution y(first, values)",
        "Parameter x; FusedConvolution first(x); FusedConvolution y(first)");
  const Node& y = *model.results[0]->inputs[0].node;
  EXPECT_EQ(y.inputs[1].node, y.inputs[0].node->inputs[1].node);
}

TEST(KeepQuantisedFilters, LeavesWhatItCannotRead) {
  const auto unchanged = [](const Shape& filters, const Shape& scale, const std::string& type) {
    SCOPED_TRACE(to_string(filters) + " " + to_string(scale));
    Model model;
    const Source x = parameter(model, "x", {1, 4, 7, 6});
    const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kI8, filters));
    const Source scaled = add(model, "Multiply", "scaled", {values, weights(model, "scale", scale)});
    result(model, add(model, type, "y", {x, scaled}));
    const std::string same =
        "Parameter x; Convert values; Multiply scaled(values); " + type + " y(x, scaled)";
    check(model, same, same);
    EXPECT_EQ(kept(model), nullptr);
  };
  unchanged({8, 4, 3, 3}, {3, 1}, "Convolution");        // a scale for each row of the kernel
  unchanged({8, 4, 3, 3}, {8, 4, 1, 1}, "Convolution");  // for each filter
  {
    SCOPED_TRACE("a zero point that is no integer");
    Model model;
    const Source x = parameter(model, "x", {1, 4, 7, 6});
    const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kU8, {3, 4, 3, 3}));
    const Source zero = {model.add_constant("zero", Tensor::of<float>({1}, {7.5f})), 0};
    const Source shifted = add(model, "Subtract", "shifted", {values, zero});
    result(model, add(model, "Convolution", "y", {x, shifted}));
    const std::string same =
        "Parameter x; Convert values; Subtract shifted(values); Convolution y(x, shifted)";
    check(model, same, same);
  }
}

}  // namespace
}  // namespace wasmvino::passes
