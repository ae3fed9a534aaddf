// SPDX-License-Identifier: Apache-2.0
#include "runtime/compiled_model.h"
#include "tests/passes/quantised_weights.h"

namespace wasmvino::passes {
namespace {

using model::Body;
using model::BodyInput;
using model::BodyOutput;

BodyInput input_of(size_t input, size_t parameter) {
  BodyInput map;
  map.input = input;
  map.parameter = parameter;
  return map;
}

BodyOutput output_of(size_t output, size_t result) {
  BodyOutput map;
  map.output = output;
  map.result = result;
  return map;
}

std::vector<Tensor> run(const Model& model) {
  runtime::CompileOptions options;
  options.passes = false;
  const auto compiled = runtime::CompiledModel::compile(model, registry(), options);
  const auto request = compiled->create_infer_request();
  for (size_t i = 0; i < compiled->inputs().size(); ++i) {
    const Shape shape = compiled->inputs()[i].shape.to_shape();
    const std::vector<float> values =
        kernels::random_floats(element_count(shape), static_cast<uint32_t>(i + 1));
    request->set_input(i, Tensor::of<float>(shape, values.data()));
  }
  request->infer();
  std::vector<Tensor> results;
  for (size_t i = 0; i < compiled->outputs().size(); ++i) results.push_back(request->output(i));
  return results;
}

void check(Model& model, Node& node, const std::string& after, const std::vector<std::string>& bodies) {
  model.index();
  model.infer();
  const std::vector<Tensor> expected = run(model);
  const std::string before = outline(model);
  EXPECT_EQ(sink_constants(model, registry()), before != after);
  model.index();
  model.infer();
  EXPECT_EQ(outline(model), after);
  for (size_t i = 0; i < bodies.size(); ++i) EXPECT_EQ(outline(*node.bodies[i].model), bodies[i]);
  expect_same(run(model), expected);
}

// Weights that are quantised outside, a state that begins with a constant, and a slice.
TEST(SinkConstants, WeightsOfALoop) {
  for (const bool given : {false, true}) {
    Model model;
    const Source x = parameter(model, "x", {5, 4});
    const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kI8, {4, 4}));
    const Source w = given ? parameter(model, "w", {4, 4})
                           : add(model, "Multiply", "w", {values, weights(model, "scale", {4, 1})});
    Body body;
    body.model = std::make_unique<Model>();
    const Source h = parameter(*body.model, "h", {1, 4}), again = parameter(*body.model, "again", {4, 4}),
                 inner = parameter(*body.model, "inner", {4, 4}), row = parameter(*body.model, "row", {1, 4});
    const Source product = add(*body.model, "MatMul", "product", {h, inner});
    const Source other = add(*body.model, "MatMul", "other", {product, again});
    result(*body.model, add(*body.model, "Add", "next", {other, row}));
    BodyInput slice = input_of(1, 3);
    slice.axis = 0;
    body.inputs = {input_of(0, 0), slice, input_of(2, 2), input_of(2, 1)};
    body.outputs = {output_of(0, 0)};
    body.back_edges = {{.result = 0, .parameter = 0}};
    Node& loop = *add(model, "TensorIterator", "loop", {weights(model, "first", {1, 4}), x, w}).node;
    loop.bodies.push_back(std::move(body));
    result(model, {&loop, 0});
    if (given) {
      check(model, loop, "Parameter x; Parameter w; TensorIterator loop(x, w)",
            {"Parameter h; Parameter again; Parameter inner; Parameter row; MatMul product(h, inner); MatMul "
             "other(product, again); Add next(other, row)"});
      continue;
    }
    check(model, loop, "Parameter x; TensorIterator loop(x)",
          {"Parameter h; Parameter row; Convert values; Multiply w(values); MatMul product(h, w); MatMul "
           "other(product, w); Add next(other, row)"});
  }
}

// The number of iterations stays an input, though the body reads it, too.
TEST(SinkConstants, TheNumberOfIterations) {
  Model model;
  const Source x = parameter(model, "x", {1, 3});
  const int64_t count = 4;
  const bool go = true;
  const Source trips = {model.add_constant("trips", Tensor::of<int64_t>({}, &count)), 0};
  const Source condition = {model.add_constant("condition", Tensor::of<bool>({}, &go)), 0};
  Body body;
  body.model = std::make_unique<Model>();
  const Source h = parameter(*body.model, "h", {1, 3});
  auto op = std::make_shared<model::ParameterOp>();
  op->type = ElementType::kI64;
  op->shape = PartialShape::of_rank(0);
  auto node = std::make_unique<Node>("n", "Parameter", 1, op, NodeKind::kParameter);
  node->outputs.push_back({ElementType::kI64, op->shape, {}});
  body.model->parameters.push_back(body.model->add(std::move(node)));
  const Source n = in_f32(*body.model, "number", {body.model->parameters[1], 0});
  result(*body.model, add(*body.model, "Multiply", "next", {h, n}));
  result(*body.model, {body.model->add_constant("goes_on", Tensor::of<bool>({}, &go)), 0});
  body.inputs = {input_of(2, 0), input_of(0, 1)};
  BodyOutput goes_on = output_of(0, 1);
  goes_on.purpose = BodyOutput::Purpose::kExecutionCondition;
  body.outputs = {output_of(0, 0), goes_on};
  body.back_edges = {{.result = 0, .parameter = 0}};
  Node& loop = *add(model, "Loop", "loop", {trips, condition, x}).node;
  loop.bodies.push_back(std::move(body));
  result(model, {&loop, 0});
  model.index();
  model.infer();
  const std::vector<Tensor> expected = run(model);
  EXPECT_TRUE(sink_constants(model, registry()));
  model.index();
  model.infer();
  EXPECT_EQ(loop.inputs.size(), 3u);
  EXPECT_EQ(outline(*loop.bodies[0].model), "Parameter h; Convert number; Multiply next(h, number)");
  expect_same(run(model), expected);
}

// Both branches read the same weights.
TEST(SinkConstants, BranchesOfIf) {
  Model model;
  const Source x = parameter(model, "x", {3, 4}), level = parameter(model, "level", {1});
  const Source w = in_f32(model, "w", stored(model, "stored", ElementType::kF16, {4, 4}));
  const Source zero = {model.add_constant("zero", Tensor::of<float>({1}, {0.0f})), 0};
  const Source condition = add(model, "Greater", "condition", {level, zero});
  std::vector<Body> bodies(2);
  for (size_t i = 0; i < 2; ++i) {
    bodies[i].model = std::make_unique<Model>();
    const Source inner = parameter(*bodies[i].model, "inner", {4, 4}),
                 data = parameter(*bodies[i].model, "data", {3, 4});
    result(*bodies[i].model, add(*bodies[i].model, "MatMul", i == 0 ? "then" : "else", {data, inner}));
    bodies[i].inputs = {input_of(1, 0), input_of(2, 1)};
    bodies[i].outputs = {output_of(0, 0)};
  }
  Node& branches = *add(model, "If", "branches", {condition, w, x}).node;
  for (Body& body : bodies) branches.bodies.push_back(std::move(body));
  result(model, {&branches, 0});
  check(
      model, branches, "Parameter x; Parameter level; Greater condition(level); If branches(condition, x)",
      {"Parameter data; Convert w; MatMul then(data, w)", "Parameter data; Convert w; MatMul else(data, w)"});
}

}  // namespace
}  // namespace wasmvino::passes
