// SPDX-License-Identifier: Apache-2.0
#include "core/float_types.h"
#include "tests/passes/pass_tester.h"

namespace wasmvino::passes {
namespace {

using model::AttributeTexts;

Source half(Model& model, const std::string& name, Source source, const std::string& type = "f16") {
  return add(model, "Convert", name, {source}, {{"destination_type", type}});
}

Source f32(Model& model, const std::string& name, Source source) { return half(model, name, source, "f32"); }

Source in_f16(Model& model, const std::string& name, float value) {
  return {model.add_constant(name, Tensor::of<Float16>({1}, {Float16(value)})), 0};
}

// The types of all values, in the order of the nodes.
std::string types(const Model& model) {
  std::string text;
  for (const auto& node : model.nodes) {
    if (node->kind == NodeKind::kResult) continue;
    for (const model::OutputPort& output : node->outputs) text += cat(text.empty() ? "" : " ", output.type);
  }
  return text;
}

bool run(Model& model) {
  model.index();
  model.infer();
  const bool changed = compute_f16_in_f32(model, registry());
  model.index();
  return changed;
}

// 1/3 in f16 is off by 2^-13: in f32 the sum is exact.
TEST(ComputeF16InF32, RoundsNothingInBetween) {
  for (const char* type : {"f16", "bf16"}) {
    Model model;
    const Source x = parameter(model, "x");
    const Source third = add(model, "Multiply", "third",
                             {half(model, "h", x, type), half(model, "k", weights(model, "w", {2}), type)});
    result(model, f32(model, "y", add(model, "Add", "sum", {third, third})));
    EXPECT_TRUE(run(model));
    EXPECT_EQ(outline(model), "Parameter x; Multiply third(x); Add sum(third, third)");
    EXPECT_EQ(types(model), "f32 f32 f32 f32");
    Model exact;
    const Source a = parameter(exact, "x");
    const Source product = add(exact, "Multiply", "third", {a, weights(exact, "w", {2})});
    result(exact, add(exact, "Add", "sum", {product, product}));
    exact.index();
    expect_same(compute(model), compute(exact), 0);
  }
}

TEST(ComputeF16InF32, ConvertsStoredValuesAndResults) {
  Model model;
  const Source x = parameter(model, "x");
  const Source scale = in_f16(model, "scale", 0.5f);
  const Source scaled = add(model, "Multiply", "scaled", {half(model, "h", x), scale});
  result(model, add(model, "Add", "y", {scaled, scale}));
  result(model, scaled);
  EXPECT_TRUE(run(model));
  EXPECT_EQ(
      describe(model),
      "Parameter x; Constant scale; Convert scale/f32(scale); Multiply scaled(x, scale/f32); Add y(scaled, "
      "scale/f32); Convert y/f16(y); Result result(y/f16); Convert scaled/f16(scaled); Result "
      "result(scaled/f16)");
  EXPECT_EQ(types(model), "f32 f16 f32 f32 f32 f16 f16");
}

TEST(ComputeF16InF32, LeavesTheConversionOfStoredValuesAlone) {
  Model model;
  const Source x = parameter(model, "x");
  result(model, add(model, "Add", "y", {x, f32(model, "w", in_f16(model, "stored", 2.0f))}));
  EXPECT_FALSE(run(model));
  EXPECT_EQ(describe(model),
            "Parameter x; Constant stored; Convert w(stored); Add y(x, w); Result result(y)");
}

TEST(ComputeF16InF32, WidensResultsThatAttributesName) {
  Model model;
  const Source x = parameter(model, "x");
  const Source range = add(model, "Range", "range",
                           {{model.add_constant("start", Tensor::scalar(0.0f)), 0},
                            {model.add_constant("stop", Tensor::scalar(2.0f)), 0},
                            {model.add_constant("step", Tensor::scalar(1.0f)), 0}},
                           {{"output_type", "f16"}});
  result(model, f32(model, "y", add(model, "Add", "sum", {half(model, "h", x), range})));
  EXPECT_TRUE(run(model));
  EXPECT_EQ(outline(model), "Parameter x; Range range; Add sum(x, range)");
  EXPECT_EQ(range.node->outputs[0].type, ElementType::kF32);
}

TEST(ComputeF16InF32, KeepsRandomNumbersAndWhatTheyRead) {
  Model model;
  const Source x = parameter(model, "x");
  const Source low = add(model, "Abs", "low", {in_f16(model, "stored", -1.0f)});
  const Source random =
      add(model, "RandomUniform", "random", {integers(model, "shape", {2}), low, in_f16(model, "high", 3.0f)},
          {{"output_type", "f16"}, {"global_seed", "1"}, {"op_seed", "1"}});
  result(model, f32(model, "y", add(model, "Add", "sum", {half(model, "h", x), random})));
  EXPECT_TRUE(run(model));
  EXPECT_EQ(outline(model),
            "Parameter x; Convert stored/f32; Abs low(stored/f32); Convert low/f16(low); RandomUniform "
            "random(low/f16); Convert random/f32(random); Add sum(x, random/f32)");
  EXPECT_EQ(random.node->outputs[0].type, ElementType::kF16);
}

// The lowest f32 is beyond f16: it would become -inf.
TEST(ComputeF16InF32, KeepsTheLowestNumberOfTheType) {
  for (const char* mode : {"zero", "lowest"}) {
    Model model;
    const Source segments =
        add(model, "SegmentMax", "segments",
            {half(model, "h", parameter(model, "x")), integers(model, "ids", {0, 2})}, {{"fill_mode", mode}});
    result(model, f32(model, "y", segments));
    EXPECT_TRUE(run(model));
    EXPECT_EQ(segments.node->outputs[0].type, mode[0] == 'z' ? ElementType::kF32 : ElementType::kF16);
  }
}

}  // namespace
}  // namespace wasmvino::passes
