// SPDX-License-Identifier: Apache-2.0
#include "core/float_types.h"
#include "runtime/compiled_model.h"
#include "tests/passes/pass_tester.h"

namespace wasmvino::passes {
namespace {

using model::Body;

Source converted(Model& model, const std::string& name, Source source, const std::string& type) {
  return add(model, "Convert", name, {source}, {{"destination_type", type}});
}

Source parameter_of(Model& model, const std::string& name, ElementType type, PartialShape shape) {
  const Source source = parameter(model, name, std::move(shape));
  auto op = std::make_shared<model::ParameterOp>(static_cast<const model::ParameterOp&>(*source.node->op));
  op->type = type;
  source.node->op = std::move(op);
  return source;
}

// Weights that f16 and bf16 hold exactly.
Source number(Model& model, const std::string& name, ElementType type, float value) {
  const Source source = {model.add_constant(name, Tensor::of<float>({1}, {value})), 0};
  return type == ElementType::kF32
             ? source
             : converted(model, name + " stored", source, std::string(wasmvino::name(type)));
}

// y = the sums of the rows of x [steps, 2], each divided by four, in a loop whose body has values of `type`.
// `nested` puts that loop into the body of another one, which runs once.
Node& add_loop(Model& model, Source x, ElementType type, bool nested) {
  Body body;
  body.model = std::make_unique<Model>();
  Model& inner = *body.model;
  const PartialShape slice = nested ? PartialShape{Dimension(), 2} : PartialShape{1, 2};
  const Source row = parameter_of(inner, "row", type, slice), sum = parameter_of(inner, "sum", type, {1, 2});
  if (nested) {
    Node& loop = add_loop(inner, row, type, false);
    result(inner, {&loop, 0});
  } else {
    const Source part = add(inner, "Multiply", "part", {row, number(inner, "quarter", type, 0.25f)});
    result(inner, add(inner, "Add", "next", {sum, part}));
  }
  model::BodyInput rows, state;
  if (!nested) rows.axis = 0;
  state.input = state.parameter = 1;
  body.inputs = {rows, state};
  body.outputs = {{}};
  body.back_edges = {{.result = 0, .parameter = 1}};
  const Tensor zeros = Tensor::of<float>({1, 2}, {0, 0});
  Source first = {model.add_constant("zeros", zeros), 0};
  if (type != ElementType::kF32) first = converted(model, "first", first, std::string(name(type)));
  Node& loop = *add(model, "TensorIterator", nested ? "outer" : "loop", {x, first}).node;
  loop.bodies.push_back(std::move(body));
  return loop;
}

void make_loop_model(Model& model, ElementType type, bool nested) {
  Source x = parameter(model, "x", {Dimension(), 2});
  const bool half = type != ElementType::kF32;
  if (half) x = converted(model, "narrow", x, std::string(name(type)));
  Source y = {&add_loop(model, x, type, nested), 0};
  if (half) y = converted(model, "wide", y, "f32");
  result(model, y);
  model.index();
  model.infer();
}

std::vector<Tensor> run(const Model& model) {
  const auto compiled = runtime::CompiledModel::compile(model, registry(), {});
  const auto request = compiled->create_infer_request();
  const std::vector<float> values = kernels::random_floats(14, 1);
  request->set_input(0, Tensor::of<float>({7, 2}, values.data()));
  request->infer();
  return {request->output(0)};
}

TEST(WidenBodies, ConvertsOutside) {
  for (const ElementType type : {ElementType::kF16, ElementType::kBf16}) {
    Model model;
    make_loop_model(model, type, false);
    const std::string to = cat("/", name(type));
    EXPECT_TRUE(widen_bodies(model, registry()));
    model.index();
    model.infer();
    EXPECT_EQ(outline(model),
              cat("Parameter x; Convert narrow(x); Convert narrow/f32(narrow); Convert first; "
                  "Convert first/f32(first); TensorIterator loop(narrow/f32, first/f32); Convert "
                  "loop",
                  to, "(loop); Convert wide(loop", to, ")"));
    for (const auto& node : model.nodes) {
      if (node->bodies.empty()) continue;
      EXPECT_EQ(node->outputs[0].type, ElementType::kF32);
      EXPECT_EQ(outline(*node->bodies[0].model),
                cat("Parameter row; Parameter sum; Convert sum", to, "(sum); Convert row", to,
                    "(row); Convert quarter stored; Multiply part(row", to, ", quarter stored); Add next(sum",
                    to, ", part); Convert next/f32(next)"));
    }
    EXPECT_FALSE(widen_bodies(model, registry()));
  }
}

// Together with the other passes, a loop in f16 computes what the same loop computes in f32, exactly.
TEST(WidenBodies, LeavesNoConversions) {
  for (const bool nested : {false, true}) {
    Model model, in_f32;
    make_loop_model(model, ElementType::kF16, nested);
    make_loop_model(in_f32, ElementType::kF32, nested);
    expect_same(run(model), run(in_f32), 0);
    run_passes(model, registry());
    Model* inner = &model;
    while (inner != nullptr) {
      Model* next = nullptr;
      for (const auto& node : inner->nodes) {
        EXPECT_NE(node->type, "Convert") << node->name;
        if (!node->bodies.empty()) next = node->bodies[0].model.get();
      }
      inner = next;
    }
  }
}

TEST(WidenBodies, BranchesOfIf) {
  Model model;
  const Source x = parameter(model, "x", {2}), level = parameter(model, "level", {1});
  const Source narrow = converted(model, "narrow", x, "f16");
  const Source condition =
      add(model, "Greater", "condition", {level, number(model, "zero", ElementType::kF32, 0)});
  Node& branches = *add(model, "If", "branches", {condition, narrow}).node;
  for (const char* type : {"Abs", "Negative"}) {
    Body body;
    body.model = std::make_unique<Model>();
    result(*body.model,
           add(*body.model, type, "y", {parameter_of(*body.model, "data", ElementType::kF16, {2})}));
    body.inputs.emplace_back().input = 1;
    body.outputs = {{}};
    branches.bodies.push_back(std::move(body));
  }
  result(model, converted(model, "wide", {&branches, 0}, "f32"));
  model.index();
  model.infer();
  EXPECT_TRUE(widen_bodies(model, registry()));
  model.index();
  model.infer();
  EXPECT_EQ(outline(model),
            "Parameter x; Parameter level; Greater condition(level); Convert narrow(x); Convert "
            "narrow/f32(narrow); If branches(condition, narrow/f32); Convert branches/f16(branches); Convert "
            "wide(branches/f16)");
  for (const Body& body : branches.bodies) {
    EXPECT_EQ(body.model->parameters[0]->outputs[0].type, ElementType::kF32);
    EXPECT_EQ(body.model->results[0]->inputs[0].node->name, "y/f32");
  }
}

TEST(WidenBodies, LeavesBodiesInF32Alone) {
  Model model;
  make_loop_model(model, ElementType::kF32, false);
  EXPECT_FALSE(widen_bodies(model, registry()));
}

}  // namespace
}  // namespace wasmvino::passes
