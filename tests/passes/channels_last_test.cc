// SPDX-License-Identifier: Apache-2.0
#include "tests/passes/pass_tester.h"

namespace wasmvino::passes {
namespace {

struct Builder {
  Model model;
  Source x = parameter(model, "x", {2, 4, 6, Dimension()});
  Source convolution(const std::string& name, Source data, int64_t out = 4, int64_t in = 4) {
    return add(model, "Convolution", name, {data, weights(model, name + "/filters", {out, in, 3, 3})},
               {{"pads_begin", "1,1"}, {"pads_end", "1,1"}});
  }
  Source relu(const std::string& name, Source data) { return add(model, "Relu", name, {data}); }
};

TEST(ChannelsLast, ChainsHaveNoTransposes) {
  Builder b;
  const Source first = b.relu("first_relu", b.convolution("first", b.x));
  result(b.model, b.relu("last_relu", b.convolution("last", first)));
  check_pass(
      channels_last_pass, b.model,
      "Parameter x; Convolution first(x); Relu first_relu(first); Convolution last(first_relu); Relu "
      "last_relu(last)",
      "Parameter x; FusedConvolution first(x); Relu first_relu(first); FusedConvolution last(first_relu); "
      "Relu last_relu(last); Transpose last_relu/channels_first(last_relu)");
}

TEST(ChannelsLast, ConvolutionsWriteWhatTheyAreAskedFor) {
  Builder b;
  result(b.model, b.convolution("only", b.x));
  check_pass(channels_last_pass, b.model, "Parameter x; Convolution only(x)",
             "Parameter x; FusedConvolution only(x)");
  Builder c;  // two that read the same planes share one transposition
  result(c.model, c.convolution("left", c.x));
  result(c.model, c.convolution("right", c.x));
  check_pass(channels_last_pass, c.model, "Parameter x; Convolution left(x); Convolution right(x)",
             "Parameter x; Transpose x/channels_last(x); FusedConvolution left(x/channels_last); "
             "FusedConvolution right(x/channels_last)");
}

TEST(ChannelsLast, SumsWithConstantsAndEachOther) {
  Builder b;
  const Source first = b.convolution("first", b.x);
  const Source by_channel =
      add(b.model, "Multiply", "by_channel", {weights(b.model, "factors", {4, 1, 1}, 5), first});
  const Source by_row = add(b.model, "Add", "by_row", {by_channel, weights(b.model, "rows", {6, 1}, 6)});
  const Source sum = add(b.model, "Add", "sum", {b.convolution("second", by_row), by_row});
  const Source sloped = add(b.model, "PRelu", "sloped", {sum, weights(b.model, "slopes", {4}, 7)});
  result(b.model, b.convolution("last", sloped));
  check_pass(
      channels_last_pass, b.model,
      "Parameter x; Convolution first(x); Multiply by_channel(first); Add by_row(by_channel); "
      "Convolution second(by_row); Add sum(second, by_row); PRelu sloped(sum); Convolution last(sloped)",
      // The constants are laid out anew by Transposes of constants, which the next pass folds.
      "Parameter x; Transpose factors/channels_last; FusedConvolution first(x); "
      "Multiply by_channel(factors/channels_last, first); Transpose rows/channels_last; "
      "Add by_row(by_channel, rows/channels_last); FusedConvolution second(by_row); Add sum(second, by_row); "
      "PRelu sloped(sum); FusedConvolution last(sloped)");
}

TEST(ChannelsLast, LeavesComputedSlopesOfChannels) {
  Builder b;
  const Source slopes = add(b.model, "Relu", "slopes", {weights(b.model, "values", {4}, 7)});
  result(b.model, add(b.model, "PRelu", "sloped", {b.convolution("first", b.x), slopes}));
  check_pass(channels_last_pass, b.model,
             "Parameter x; Convolution first(x); Relu slopes; PRelu sloped(first, slopes)",
             "Parameter x; FusedConvolution first(x); Relu slopes; PRelu sloped(first, slopes)");
}

TEST(ChannelsLast, ConcatSplitAndPooling) {
  Builder b;
  const Source first = b.convolution("first", b.x, 6);
  const Source parts =
      add(b.model, "Split", "parts", {first, {b.model.add_constant("axis", Tensor::scalar<int64_t>(1)), 0}},
          {{"num_splits", "2"}}, 2);
  const Source pooled = add(b.model, "MaxPool", "pooled", {{parts.node, 1}},
                            {{"kernel", "3,3"}, {"pads_begin", "1,1"}, {"pads_end", "1,1"}}, 2);
  const Source means = add(b.model, "AvgPool", "means", {parts},
                           {{"kernel", "3,3"}, {"auto_pad", "same_upper"}, {"exclude-pad", "true"}});
  const Source joined = add(b.model, "Concat", "joined", {pooled, means, first}, {{"axis", "-3"}});
  result(b.model, b.convolution("last", joined, 2, 12));
  check_pass(
      channels_last_pass, b.model,
      "Parameter x; Convolution first(x); Split parts(first); MaxPool pooled(parts:1); AvgPool means(parts); "
      "Concat joined(pooled, means, first); Convolution last(joined)",
      "Parameter x; FusedConvolution first(x); Split parts(first); ChannelsLastPooling pooled(parts:1); "
      "ChannelsLastPooling means(parts); Concat joined(pooled, means, first); FusedConvolution last(joined)");
}

TEST(ChannelsLast, ReductionsAndWhatIsScaledByThem) {
  Builder b;
  const Source first = b.convolution("first", b.x);
  const Source mean = add(b.model, "ReduceMean", "mean", {first, integers(b.model, "axes", {2, -1})},
                          {{"keep_dims", "true"}});
  const Source excited =
      add(b.model, "Convolution", "excite", {mean, weights(b.model, "excite/filters", {4, 4, 1, 1}, 9)});
  const Source scaled =
      add(b.model, "Multiply", "scaled", {first, add(b.model, "Sigmoid", "gate", {excited})});
  result(b.model, add(b.model, "ReduceMean", "head", {scaled, integers(b.model, "all", {2, 3})},
                      {{"keep_dims", "false"}}));
  result(b.model, add(b.model, "Softmax", "soft", {scaled}, {{"axis", "1"}}));
  check_pass(
      channels_last_pass, b.model,
      "Parameter x; Convolution first(x); ReduceMean mean(first); Convolution excite(mean); Sigmoid "
      "gate(excite); "
      "Multiply scaled(first, gate); ReduceMean head(scaled); Softmax soft(scaled)",
      "Parameter x; FusedConvolution first(x); ReduceMean mean(first); FusedConvolution excite(mean); "
      "Sigmoid gate(excite); Multiply scaled(first, gate); ReduceMean head(scaled); Softmax soft(scaled); "
      "Transpose soft/channels_first(soft)");
}

TEST(ChannelsLast, TransposesOfTheModelItself) {
  Model model;  // pictures come and go channels last
  const Source x = parameter(model, "x", {1, 6, Dimension(), 4});
  const Source planes = add(model, "Transpose", "planes", {x, integers(model, "in", {0, 3, 1, 2})});
  const Source conv = add(model, "Convolution", "conv", {planes, weights(model, "filters", {5, 4, 1, 1})});
  const Source rows = add(model, "Transpose", "rows", {conv, integers(model, "out", {0, 2, 3, 1})});
  result(model, add(model, "Relu", "relu", {rows}));
  result(model, add(model, "Transpose", "turned", {conv, integers(model, "turn", {0, 1, 3, 2})}));
  check_pass(
      channels_last_pass, model,
      "Parameter x; Transpose planes(x); Convolution conv(planes); Transpose rows(conv); Relu relu(rows); "
      "Transpose turned(conv)",
      "Parameter x; FusedConvolution conv(x); Relu relu(conv); Transpose turned(conv)");
}

TEST(ChannelsLast, PadsAreLaidOutAnew) {
  Builder b;
  const Source first = b.convolution("first", b.x);
  const Source padded =
      add(b.model, "Pad", "padded",
          {first, integers(b.model, "begin", {0, 1, 2, 3}), integers(b.model, "end", {0, 0, 1, 0})},
          {{"pad_mode", "constant"}});
  result(b.model, b.convolution("last", padded, 2, 5));
  check_pass(channels_last_pass, b.model,
             "Parameter x; Convolution first(x); Pad padded(first); Convolution last(padded)",
             "Parameter x; FusedConvolution first(x); Pad padded(first); FusedConvolution last(padded)");
}

TEST(ChannelsLast, InterpolationsWithAndWithoutAxes) {
  for (const bool with_axes : {false, true}) {
    Builder b;
    const Source first = b.convolution("first", b.x);
    std::vector<Source> inputs = {first};
    const std::vector<float> scales = with_axes ? std::vector<float>{2, 3} : std::vector<float>{1, 1, 2, 3};
    const Shape shape = {static_cast<int64_t>(scales.size())};
    inputs.push_back({b.model.add_constant("scales", Tensor::of<float>(shape, scales.data())), 0});
    if (with_axes) inputs.push_back(integers(b.model, "axes", {2, 3}));
    const Source resized = add(b.model, "Interpolate", "resized", inputs,
                               {{"mode", "nearest"},
                                {"shape_calculation_mode", "scales"},
                                {"coordinate_transformation_mode", "asymmetric"},
                                {"nearest_mode", "floor"}});
    result(b.model, b.convolution("last", resized));
    check_pass(
        channels_last_pass, b.model,
        "Parameter x; Convolution first(x); Interpolate resized(first); Convolution last(resized)",
        "Parameter x; FusedConvolution first(x); Interpolate resized(first); FusedConvolution last(resized)");
  }
}

// The rank of x is unknown, so the first convolution keeps its layout. With three axes, the Transpose before
// the second one has the order of one behind a convolution in channels last.
TEST(ChannelsLast, ConvolutionsOfOneAxisAfterDataOfUnknownRank) {
  Model model;
  const Source x = parameter(model, "x", PartialShape());
  const Source first = add(model, "Convolution", "first", {x, weights(model, "v", {4, 3, 1})});
  const Source relu = add(model, "Relu", "relu", {first});
  result(model, add(model, "Convolution", "second", {relu, weights(model, "w", {2, 4, 1})}));
  model.index();
  model.infer();
  fuse_bias_activation(model, registry());
  model.index();
  channels_last_pass(model, registry());
  model.index();
  EXPECT_EQ(outline(model), "Parameter x; FusedConvolution first(x); FusedConvolution second(first)");
  for (const Node* node = model.results[0]->inputs[0].node; !node->inputs.empty();
       node = node->inputs[0].node) {
    SCOPED_TRACE(node->name);
    EXPECT_EQ(node->op->edge_layouts()->in, model::Layout::kChannelsFirst);
    EXPECT_EQ(node->op->edge_layouts()->out, model::Layout::kChannelsFirst);
  }
}

TEST(ChannelsLast, LeavesWhatHasNothingToDoWithConvolutions) {
  Builder b;
  const Source pooled = add(b.model, "MaxPool", "pooled", {b.x}, {{"kernel", "2,2"}}, 2);
  result(b.model, b.relu("relu", pooled));
  const std::string text = "Parameter x; MaxPool pooled(x); Relu relu(pooled)";
  check_pass(channels_last_pass, b.model, text, text);
  Builder c;  // indices count in planes
  const Source conv = c.convolution("conv", c.x);
  const Source indexed = add(c.model, "MaxPool", "pooled", {conv}, {{"kernel", "2,2"}}, 2);
  result(c.model, add(c.model, "Convert", "places", {{indexed.node, 1}}, {{"destination_type", "f32"}}));
  check_pass(channels_last_pass, c.model,
             "Parameter x; Convolution conv(x); MaxPool pooled(conv); Convert places(pooled:1)",
             "Parameter x; FusedConvolution conv(x); MaxPool pooled(conv); Convert places(pooled:1)");
}

// An operation that no pass knows. It takes the layout of its data by what it says itself.
class AxisOp final : public model::Op {
 public:
  explicit AxisOp(int64_t axis) : axis_(axis) {}
  void infer(model::InferContext& context) const override {
    context.set_output(0, context.input_type(0), context.input_shape(0));
  }
  // Adds 1 to the first element along the axis.
  void evaluate(model::EvalContext& context) const override {
    copy_elements(context.input(0), context.output(0));
    const Ints strides = row_major_strides(context.output(0).shape);
    const auto axis = static_cast<size_t>(axis_);
    float* const values = context.output(0).mutable_data<float>();
    for (size_t i = 0; i < context.output(0).size(); ++i) {
      const int64_t index = static_cast<int64_t>(i) / strides[axis] % context.output(0).shape[axis];
      if (index == 0) values[i] += 1;
    }
  }
  std::optional<model::ChannelsLastForm> channels_last_form(const Node& node) const override {
    model::ChannelsLastForm form(1);
    form.take(0);
    form.op = std::make_shared<AxisOp>(model::channels_last_axis(axis_, shape_of(node.inputs[0]).rank()));
    return form;
  }

 private:
  int64_t axis_;
};

TEST(ChannelsLast, NewOperationsTakePartByTheirOwnFile) {
  Builder b;
  auto node = std::make_unique<Node>("own", "Own", 1, std::make_shared<AxisOp>(1));
  node->inputs = {b.convolution("first", b.x)};
  node->outputs.resize(1);
  result(b.model, b.convolution("last", {b.model.add(std::move(node)), 0}));
  check_pass(channels_last_pass, b.model,
             "Parameter x; Convolution first(x); Own own(first); Convolution last(own)",
             "Parameter x; FusedConvolution first(x); Own own(first); FusedConvolution last(own)");
}

// The Result that reads the convolution has no outputs.
TEST(ChannelsLast, ResultsMayReadChannelsLastData) {
  Builder b;
  const Source last = b.convolution("last", b.x);
  result(b.model, add(b.model, "Transpose", "nhwc", {last, integers(b.model, "order", {0, 2, 3, 1})}));
  check_pass(channels_last_pass, b.model, "Parameter x; Convolution last(x); Transpose nhwc(last)",
             "Parameter x; FusedConvolution last(x)");
}

}  // namespace
}  // namespace wasmvino::passes
