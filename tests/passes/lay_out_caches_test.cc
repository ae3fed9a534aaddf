// SPDX-License-Identifier: Apache-2.0
#include "runtime/compiled_model.h"
#include "tests/passes/pass_tester.h"

namespace wasmvino::passes {
namespace {

constexpr int64_t kHeads = 2, kGroups = 3, kWidth = 8;
constexpr model::CachePrecision kBytes = {model::VariablePrecision::kU8, model::VariablePrecision::kU8};

Source typed_parameter(Model& model, const std::string& name, ElementType type, PartialShape shape) {
  auto op = std::make_shared<model::ParameterOp>();
  op->type = type;
  op->shape = std::move(shape);
  auto node = std::make_unique<Node>(name, "Parameter", 1, std::move(op), NodeKind::kParameter);
  node->outputs.resize(1);
  model.parameters.push_back(model.add(std::move(node)));
  return {model.parameters.back(), 0};
}

struct Form {
  int64_t batch = 1;
  bool beams = true;
  bool initial = true;                     // ReadValue has an initial value
  bool computed_initial = false;           // whose shape is computed
  int64_t axis = 2;                        // of Concat
  bool twice = false;                      // another ReadValue of the variable
  std::optional<PartialShape> added = {};  // if the shape of new positions is not fully known
  bool keys_are_values = false;
  bool decomposed = false;  // attention as a softmax between two matmuls, without a mask
};

// No positions, in the form in which language models are exported: passes do not know the shape.
Source no_positions(Model& model, const std::string& name, Source beams) {
  const Source shape = add(model, "ShapeOf", name + "_of_beams", {beams});
  const Source zero = integers(model, "zero", {0});
  const Source batch = add(model, "Gather", name + "_batch", {shape, zero, zero});
  const Source sizes = add(
      model, "Concat", name + "_sizes",
      {batch, integers(model, "heads", {kHeads}), zero, integers(model, "width", {kWidth})}, {{"axis", "0"}});
  return add(model, "Broadcast", name + "_none",
             {{model.add_constant("scalar", Tensor::of<float>({}, std::vector<float>{0}.data())), 0}, sizes},
             {{"mode", "numpy"}});
}

// Keys or values of all positions: a variable that grows by `added`.
Source cache(Model& model, const std::string& name, Source added, Source beams, const Form& form) {
  const std::string shape = cat(form.batch, ",", kHeads, ",?,", kWidth);
  const model::AttributeTexts attributes = {
      {"variable_id", name}, {"variable_type", "f32"}, {"variable_shape", shape}};
  std::vector<Source> initial;
  if (form.computed_initial) {
    initial = {no_positions(model, name, beams)};
  } else if (form.initial) {
    initial = {{model.add_constant("none", Tensor(ElementType::kF32, {form.batch, kHeads, 0, kWidth})), 0}};
  }
  Source past = add(model, "ReadValue", name + "_past", initial, attributes);
  if (form.twice) result(model, add(model, "ReadValue", name + "_again", initial, attributes));
  if (form.beams) {
    past = add(model, "Gather", name + "_beams", {past, beams, integers(model, "axis", {0})});
  }
  const Source all =
      add(model, "Concat", name + "_all", {past, added}, {{"axis", std::to_string(form.axis)}});
  auto assign = registry().make_node("Assign", name + "_assign", {all}, {{"variable_id", name}});
  model.sinks.push_back(model.add(std::move(assign)));
  return all;
}

// [batch, heads, length, width] becomes [batch, heads * groups, length, width].
Source repeat(Model& model, const std::string& name, Source x) {
  const Source open = add(model, "Unsqueeze", name + "_open", {x, integers(model, "axis", {2})});
  const Source many =
      add(model, "Broadcast", name + "_many", {open, integers(model, "target", {1, 1, kGroups, 1, 1})},
          {{"mode", "bidirectional"}});
  return add(model, "Reshape", name + "_heads",
             {many, integers(model, "heads", {0, kHeads * kGroups, -1, kWidth})}, {{"special_zero", "true"}});
}

void build(Model& model, const Form& form) {
  const PartialShape added = form.added.value_or(PartialShape{form.batch, kHeads, Dimension(), kWidth});
  const Source q = parameter(model, "q", {form.batch, kHeads * kGroups, Dimension(), kWidth});
  const Source k = parameter(model, "k", added), v = parameter(model, "v", added);
  const Source mask = parameter(model, "mask", {1, kHeads * kGroups, Dimension(), Dimension()});
  const Source beams = typed_parameter(model, "beams", ElementType::kI32, {Dimension()});
  const Source cached = cache(model, "key", k, beams, form);
  const Source keys = repeat(model, "keys", cached);
  const Source values =
      repeat(model, "values", form.keys_are_values ? cached : cache(model, "value", v, beams, form));
  if (form.decomposed) {
    const Source scale = {model.add_constant("scale", Tensor::of<float>({}, std::vector{0.5f}.data())), 0};
    Source y = add(model, "MatMul", "products", {q, keys}, {{"transpose_b", "true"}});
    y = add(model, "Softmax", "weights", {add(model, "Multiply", "scores", {y, scale})}, {{"axis", "-1"}});
    result(model, add(model, "MatMul", "y", {y, values}));
  } else {
    result(model, add(model, "ScaledDotProductAttention", "y", {q, keys, values, mask}));
  }
  model.index();
  model.infer();
}

Tensor random(const Shape& shape, uint32_t seed) {
  return Tensor::of<float>(shape, kernels::random_floats(element_count(shape), seed).data());
}

// A run of a model that build() made, with `added` positions after `past` others.
void run(runtime::InferRequest& request, const Form& form, int64_t past, int64_t added) {
  const auto seed = static_cast<uint32_t>(past + 1);
  std::vector<int32_t> beams;
  for (int64_t i = 0; i < form.batch; ++i)
    beams.push_back(static_cast<int32_t>((past == 0 ? i : form.batch - 1 - i / 2)));
  request.set_input(0, random({form.batch, kHeads * kGroups, added, kWidth}, seed));
  request.set_input(1, random({form.batch, kHeads, added, kWidth}, seed + 1));
  request.set_input(2, random({form.batch, kHeads, added, kWidth}, seed + 2));
  request.set_input(3, random({1, kHeads * kGroups, added, past + added}, seed + 3));
  request.set_input(4, Tensor::of<int32_t>({form.batch}, beams.data()));
  request.infer();
}

std::vector<Tensor> states(runtime::InferRequest& request) {
  std::vector<Tensor> values;
  for (const model::Variable* variable : request.variables()) values.push_back(variable->value.clone());
  return values;
}

float largest_difference(const Tensor& a, const Tensor& b) {
  float largest = 0;
  for (size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::abs(a.data<float>()[i] - b.data<float>()[i]));
  return largest;
}

std::unique_ptr<runtime::InferRequest> request_of(const Model& model, bool passes) {
  return runtime::CompiledModel::compile(model, registry(), {.passes = passes})->create_infer_request();
}

std::unique_ptr<runtime::InferRequest> compressed_request_of(
    const Model& model, model::VariablePrecision precision = model::VariablePrecision::kU8) {
  return runtime::CompiledModel::compile(model, registry(), {.cache_precision = {precision, precision}})
      ->create_infer_request();
}

std::string outline_with_caches(model::CachePrecision precision, const Form& form = {}) {
  Model model;
  build(model, form);
  EXPECT_TRUE(lay_out_caches(model, registry(), precision));
  model.index();
  simplify(model, registry());
  model.index();
  EXPECT_TRUE(fuse_attention_transposes(model, registry()));
  model.index();
  return outline(model);
}

// Runs both requests with more and more tokens and compares their outputs. Returns the number of tokens.
int64_t expect_same_runs(runtime::InferRequest& request, runtime::InferRequest& exact, const Form& form,
                         float tolerance) {
  int64_t past = 0;
  for (const int64_t added : {5, 1, 2}) {
    run(request, form, past, added);
    run(exact, form, past, added);
    past += added;
    expect_same({request.output(0)}, {exact.output(0)}, tolerance);
  }
  return past;
}

// A value that is set is taken over, and a reset one is forgotten. `request` gives what `exact` gives.
void expect_same_after_setting(runtime::InferRequest& request, runtime::InferRequest& exact, const Form& form,
                               int64_t past, float tolerance = 2e-5f, float of_states = 0) {
  request.variables()[0]->value = exact.variables()[1]->value.clone();
  exact.variables()[0]->value = exact.variables()[1]->value.clone();
  run(request, form, past, 1);
  run(exact, form, past, 1);
  expect_same({request.output(0)}, {exact.output(0)}, tolerance);
  expect_same(states(request), states(exact), of_states);
  request.reset_state();
  exact.reset_state();
  run(request, form, 0, 2);
  run(exact, form, 0, 2);
  expect_same({request.output(0)}, {exact.output(0)}, tolerance);
}

TEST(LayOutCaches, AttentionReadsThemByPosition) {
  const std::string text = outline_with_caches({});
  EXPECT_NE(text.find("FusedAttention y(q, key_all, value_all, mask)"), std::string::npos) << text;
  EXPECT_NE(text.find("Concat key_all(key_beams, key_all/added)"), std::string::npos) << text;
}

TEST(LayOutCaches, RunsAndStatesStayTheSame) {
  for (const int64_t batch : {1, 3}) {
    for (const bool beams : {true, false}) {
      for (const bool initial : {true, false}) {
        const Form form = {.batch = batch, .beams = beams, .initial = initial};
        Model model;
        build(model, form);
        const auto with = request_of(model, true), without = request_of(model, false);
        int64_t past = 0;
        for (const int64_t added : {5, 1, 1, 2, 1, 1, 1}) {
          run(*with, form, past, added);
          run(*without, form, past, added);
          past += added;
          expect_same({with->output(0)}, {without->output(0)});
          // Looking at a state transposes it back. Most runs go on without.
          if (past == 7 || past == 12) expect_same(states(*with), states(*without), 0);
        }
        expect_same_after_setting(*with, *without, form, past);
      }
    }
  }
}

// Like SkippedPasses, which has no models with caches.
TEST(LayOutCaches, SkippedPassesChangeNoResult) {
  for (const bool decomposed : {false, true}) {
    for (const model::CachePrecision precision : {model::CachePrecision(), kBytes}) {
      const bool compressed = precision.keys == model::VariablePrecision::kU8;
      const Form form = {.batch = 2, .computed_initial = true, .decomposed = decomposed};
      Model model;
      build(model, form);
      const auto fused = model.clone();
      run_passes(*fused, registry());
      EXPECT_NE(outline(*fused).find("FusedAttention y(q, key_all, value_all"), std::string::npos);
      for (const std::string_view pass : pass_names()) {
        SCOPED_TRACE(pass);
        const auto some =
            runtime::CompiledModel::compile(
                model, registry(), {.cache_precision = precision, .skipped_passes = std::string(pass)})
                ->create_infer_request();
        const auto none = request_of(model, false);
        expect_same_runs(*some, *none, form, compressed ? 1e-2f : 2e-5f);
        expect_same(states(*some), states(*none), compressed ? 1e-2f : 0);
      }
    }
  }
}

// The difference is within the resolution of the compressed form: values are in -1..1.
TEST(LayOutCaches, CompressedCaches) {
  using enum model::VariablePrecision;
  for (const auto& [precision, tolerance] : {std::pair{kF16, 1e-3f}, std::pair{kU8, 1e-2f}}) {
    for (const int64_t batch : {1, 3}) {
      for (const bool beams : {true, false}) {
        for (const bool initial : {true, false}) {
          const Form form = {.batch = batch, .beams = beams, .initial = initial};
          Model model;
          build(model, form);
          const auto compressed = compressed_request_of(model, precision);
          const auto exact = request_of(model, false);
          int64_t past = 0;
          for (const int64_t added : {5, 1, 1, 2, 1, 520, 1}) {
            run(*compressed, form, past, added);
            run(*exact, form, past, added);
            past += added;
            expect_same({compressed->output(0)}, {exact->output(0)}, tolerance);
            // What was compressed is expanded, and compressed again by the next run.
            if (past == 7) expect_same(states(*compressed), states(*exact), tolerance);
          }
          const std::vector<Tensor> expanded = states(*compressed);
          EXPECT_EQ(expanded[0].type(), ElementType::kF32);
          expect_same(expanded, states(*exact), tolerance);
          EXPECT_GT(largest_difference(expanded[0], states(*exact)[0]), 0.0f);
          expect_same_after_setting(*compressed, *exact, form, past, tolerance, tolerance);
        }
      }
    }
  }
}

TEST(LayOutCaches, AttentionReadsCompressedCaches) {
  const std::string text = outline_with_caches(kBytes);
  EXPECT_NE(text.find("FusedAttention y(q, key_all, value_all, mask)"), std::string::npos) << text;
  EXPECT_NE(text.find("Concat key_all(key_beams, key_all/added/compressed)"), std::string::npos) << text;
}

TEST(LayOutCaches, PrecisionsOfKeysAndValues) {
  using enum model::VariablePrecision;
  const auto compressed = [](model::CachePrecision precision, const Form& form = {}) {
    Model model;
    build(model, form);
    EXPECT_TRUE(lay_out_caches(model, registry(), precision));
    model.index();
    std::map<std::string, ElementType> types;
    for (const auto& node : model.nodes) {
      if (node->type == "ReadValue") types[node->name] = node->outputs[0].type;
    }
    return types;
  };
  using Types = std::map<std::string, ElementType>;
  EXPECT_EQ(compressed({kU8, kF16}),
            (Types{{"key_past", ElementType::kU8}, {"value_past", ElementType::kF16}}));
  EXPECT_EQ(compressed({kF32, kU8}),
            (Types{{"key_past", ElementType::kF32}, {"value_past", ElementType::kU8}}));
  // The more precise one serves both.
  const Form form = {.keys_are_values = true};
  EXPECT_EQ(compressed({kU8, kF16}, form), (Types{{"key_past", ElementType::kF16}}));
  EXPECT_EQ(compressed({kF16, kU8}, form), (Types{{"key_past", ElementType::kF16}}));
}

// The shape of an initial value may be unknown, as in exported language models.
TEST(LayOutCaches, ComputedInitialValues) {
  const Form form = {.batch = 2, .computed_initial = true};
  const std::string text = outline_with_caches(kBytes, form);
  EXPECT_NE(text.find("Concat key_all(key_beams, key_all/added/compressed)"), std::string::npos) << text;
  Model model;
  build(model, form);
  const auto compressed = compressed_request_of(model);
  const auto exact = request_of(model, false);
  const int64_t past = expect_same_runs(*compressed, *exact, form, 1e-2f);
  expect_same_after_setting(*compressed, *exact, form, past, 1e-2f, 1e-2f);
}

// Another operation that reads the elements gets all that the model declares.
TEST(LayOutCaches, OtherReadersKeepCachesInF32) {
  Model model;
  build(model, {});
  for (const auto& node : model.nodes) {
    if (node->name == "key_all") {
      result(model,
             add(model, "ReduceMean", "mean", {{node.get(), 0}, integers(model, "axes", {0, 1, 2, 3})}));
      break;
    }
  }
  model.index();
  model.infer();
  ASSERT_TRUE(lay_out_caches(model, registry(), kBytes));
  model.index();
  const std::string text = outline(model);
  EXPECT_EQ(text.find("CompressCache key"), std::string::npos) << text;
  EXPECT_NE(text.find("CompressCache value"), std::string::npos) << text;
}

// What asks for the shape of a cache does not read its elements.
TEST(LayOutCaches, ShapesOfCompressedCaches) {
  Model model;
  build(model, {});
  for (const char* const cache : {"key_past", "key_all"}) {
    for (size_t i = 0; i < model.nodes.size(); ++i) {
      Node* node = model.nodes[i].get();
      if (node->name != cache) continue;
      result(model, add(model, "ShapeOf", cat(cache, "_shape"), {{node, 0}}, {{"output_type", "i64"}}));
      break;
    }
  }
  model.index();
  model.infer();
  const auto compressed = compressed_request_of(model);
  int64_t past = 0;
  for (const int64_t added : {4, 1}) {
    run(*compressed, {}, past, added);
    EXPECT_EQ(to_ints(compressed->output(1).view()), (Ints{1, kHeads, past, kWidth}));
    past += added;
    EXPECT_EQ(to_ints(compressed->output(2).view()), (Ints{1, kHeads, past, kWidth}));
  }
  ASSERT_TRUE(lay_out_caches(model, registry(), kBytes));
  model.index();
  EXPECT_NE(outline(model).find("CompressCache key"), std::string::npos);
}

// New positions whose width is not known stay as they are.
TEST(LayOutCaches, UnknownWidthsStayInF32) {
  for (const PartialShape& added : {PartialShape{1, kHeads, Dimension(), Dimension()}, PartialShape()}) {
    Model model;
    build(model, {.added = added});
    lay_out_caches(model, registry(), kBytes);
    model.index();
    EXPECT_EQ(outline(model).find("CompressCache"), std::string::npos);
  }
}

// Requests know the forms of variables from the outer model only.
TEST(LayOutCaches, BodiesKeepTheirVariables) {
  Model model;
  model::Body body;
  body.model = std::make_unique<Model>();
  build(*body.model, {});
  std::vector<Source> inputs;
  for (const Node* inner : body.model->parameters) {
    const model::OutputPort& port = inner->outputs[0];
    model::BodyInput input;
    input.input = input.parameter = inputs.size();
    if (inner->name == "beams") input.axis = 0;
    body.inputs.push_back(input);
    inputs.push_back(typed_parameter(model, inner->name, port.type, port.shape));
  }
  body.outputs = {model::BodyOutput()};
  Node& loop = *add(model, "TensorIterator", "loop", inputs).node;
  loop.bodies.push_back(std::move(body));
  result(model, {&loop, 0});
  model.index();
  model.infer();
  const auto with = compressed_request_of(model);
  const auto without = request_of(model, false);
  int64_t past = 0;
  for (const int64_t added : {3, 1, 2}) {
    run(*with, {}, past, added);
    run(*without, {}, past, added);
    past += added;
    expect_same({with->output(0)}, {without->output(0)});
    expect_same(states(*with), states(*without), 0);
  }
}

TEST(LayOutCaches, ObserversSeeExpandedCaches) {
  Model model;
  build(model, {});
  const auto request = compressed_request_of(model);
  const auto expected = request_of(model, false);
  for (runtime::InferRequest* each : {request.get(), expected.get()}) {
    run(*each, {}, 0, 4);
    each->observe({{{"key_past"}, 0}});
    run(*each, {}, 4, 1);
  }
  expect_same({request->observations()[0].value}, {expected->observations()[0].value}, 1e-2f);
}

// One variable is expanded or reset, the other stays compressed.
TEST(LayOutCaches, SingleVariables) {
  Model model;
  build(model, {});
  const auto request = compressed_request_of(model);
  EXPECT_EQ(request->variable_names(), (std::vector<std::string>{"key", "value"}));
  run(*request, {}, 0, 4);
  EXPECT_EQ(request->variable(0).value.type(), ElementType::kF32);
  EXPECT_THROW(request->variable(2), Error);
  run(*request, {}, 4, 1);
  request->reset_variable(0);
  EXPECT_FALSE(request->variable(0).value);
  EXPECT_TRUE(request->variable(1).value);
}

TEST(LayOutCaches, ObserversSeeTheDeclaredAxes) {
  Model model;
  build(model, {});
  const auto request = request_of(model, true), expected = request_of(model, false);
  for (runtime::InferRequest* each : {request.get(), expected.get()}) run(*each, {}, 0, 4);
  for (runtime::InferRequest* each : {request.get(), expected.get()}) {
    each->observe({{{"key_past"}, 0}});
    run(*each, {}, 4, 1);
  }
  ASSERT_EQ(request->observations().size(), 1u);
  expect_same({request->observations()[0].value}, {expected->observations()[0].value}, 0);
  request->observe({});
  run(*request, {}, 5, 1);
  run(*expected, {}, 5, 1);
  expect_same({request->output(0)}, {expected->output(0)});
}

TEST(LayOutCaches, OtherVariablesStay) {
  for (const Form& form : {Form{.initial = true, .axis = 3}, Form{.twice = true}}) {
    Model model;
    const Source added = parameter(model, "k", {1, kHeads, Dimension(), kWidth});
    const Source beams = typed_parameter(model, "beams", ElementType::kI32, {1});
    const Source all = cache(model, "key", added, beams, form);
    result(model, add(model, "ScaledDotProductAttention", "y", {all, all, all}));
    model.index();
    std::vector<Error> ignored;
    model.infer(&ignored);
    EXPECT_FALSE(lay_out_caches(model, registry()));
  }
  Model model;  // without attention
  const Source added = parameter(model, "k", {1, kHeads, Dimension(), kWidth});
  const Source beams = typed_parameter(model, "beams", ElementType::kI32, {1});
  result(model, add(model, "Relu", "y", {cache(model, "key", added, beams, {})}));
  model.index();
  model.infer();
  EXPECT_FALSE(lay_out_caches(model, registry()));
}

}  // namespace
}  // namespace wasmvino::passes
