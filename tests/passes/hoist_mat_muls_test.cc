// SPDX-License-Identifier: Apache-2.0
#include "ops/quantised_data/quantised_constant.h"
#include "runtime/compiled_model.h"
#include "tests/passes/quantised_weights.h"

namespace wasmvino::passes {
namespace {

using model::Body;
using model::BodyInput;
using model::BodyOutput;

constexpr int64_t kHidden = 3, kInput = 4;

BodyInput slice_along_steps() {
  BodyInput map;
  map.axis = 1;
  return map;
}

// A loop over x [2, steps, 4] whose body `build` makes from the slice and a state [2, 3]; it returns the next
// state, which is also what the loop concatenates.
template <typename Build>
Node& add_loop(Model& model, Source x, Source state, const Build& build,
               BodyInput slice = slice_along_steps(), const std::string& type = "TensorIterator") {
  Body body;
  body.model = std::make_unique<Model>();
  const Source x_t = parameter(*body.model, "x_t", {2, 1, kInput});
  const Source h = parameter(*body.model, "h", {2, kHidden});
  const Source next = build(*body.model, x_t, h);
  result(*body.model, next);
  result(*body.model, add(*body.model, "Unsqueeze", "y_t", {next, integers(*body.model, "y_axis", {1})}));
  std::vector<Source> inputs = {x, state};
  size_t first = 0;
  if (type == "Loop") {
    first = 2;
    const bool go = true;
    const Source trips = integers(model, "trips", {-1});
    const Source condition = {model.add_constant("condition", Tensor::of<bool>({}, &go)), 0};
    inputs = {trips, condition, x, state};
    result(*body.model, {body.model->add_constant("goes_on", Tensor::of<bool>({}, &go)), 0});
    BodyOutput goes_on;
    goes_on.result = 2;
    goes_on.purpose = BodyOutput::Purpose::kExecutionCondition;
    body.outputs.push_back(goes_on);
  }
  slice.input = first;
  slice.parameter = 0;
  BodyInput merged;
  merged.input = first + 1;
  merged.parameter = 1;
  body.inputs = {slice, merged};
  BodyOutput concatenated, last;
  concatenated.result = 1;
  concatenated.axis = 1;
  last.output = 1;
  body.outputs.push_back(concatenated);
  body.outputs.push_back(last);
  body.back_edges = {{.result = 0, .parameter = 1}};
  Node& loop = *add(model, type, "loop", inputs, {}, 2).node;
  loop.bodies.push_back(std::move(body));
  result(model, {&loop, 0});
  result(model, {&loop, 1});
  return loop;
}

Source squeezed(Model& body, Source x_t) {
  return add(body, "Squeeze", "row", {x_t, integers(body, "row_axis", {1})});
}

// The results for random inputs of `steps` steps.
std::vector<Tensor> run(const Model& model, int64_t steps) {
  runtime::CompileOptions options;
  options.passes = false;
  const auto compiled = runtime::CompiledModel::compile(model, registry(), options);
  const auto request = compiled->create_infer_request();
  for (size_t i = 0; i < compiled->inputs().size(); ++i) {
    Shape shape;
    for (const Dimension& d : compiled->inputs()[i].shape) shape.push_back(d.is_static() ? d.size() : steps);
    const auto seed = static_cast<uint32_t>(i + 1);
    const std::vector<float> values = kernels::random_floats(element_count(shape), seed);
    request->set_input(i, Tensor::of<float>(shape, values.data()));
  }
  request->infer();
  std::vector<Tensor> results;
  for (size_t i = 0; i < compiled->outputs().size(); ++i) results.push_back(request->output(i));
  return results;
}

// Applies the pass and compares the results, and the outlines of model and body afterwards.
void check(Model& model, Node& loop, const std::string& after, const std::string& body_after) {
  model.index();
  model.infer();
  const std::vector<Tensor> expected = run(model, 5), expected_of_one = run(model, 1);
  const std::string before = outline(model), body_before = outline(*loop.bodies[0].model);
  const bool changed = hoist_mat_muls(model, registry());
  model.index();
  model.infer();
  EXPECT_EQ(outline(model), after);
  EXPECT_EQ(outline(*loop.bodies[0].model), body_after);
  EXPECT_EQ(changed, before != after || body_before != body_after);
  expect_same(run(model, 5), expected);
  expect_same(run(model, 1), expected_of_one);
}

constexpr const char* kLifted =
    "Parameter x; Parameter state; MatMul cell/input_projection(x); TensorIterator loop(state, "
    "cell/input_projection)";

TEST(HoistMatMuls, InputsOfCells) {
  struct Case {
    const char* type;
    int64_t gates, biases;
    model::AttributeTexts attributes;
  };
  const Case cases[] = {{"RNNCell", 1, 1, {{"hidden_size", "3"}}},
                        {"GRUCell", 3, 3, {{"hidden_size", "3"}}},
                        {"GRUCell", 3, 4, {{"hidden_size", "3"}, {"linear_before_reset", "true"}}}};
  for (const Case& c : cases) {
    for (const bool backwards : {false, true}) {
      Model model;
      const Source x = parameter(model, "x", {2, Dimension(), kInput});
      const Source state = parameter(model, "state", {2, kHidden});
      BodyInput slice = slice_along_steps();
      if (backwards) slice.start = -1, slice.end = 0, slice.stride = -1;
      Node& loop = add_loop(
          model, x, state,
          [&](Model& body, Source x_t, Source h) {
            return add(body, c.type, "cell",
                       {squeezed(body, x_t), h, weights(body, "W", {c.gates * kHidden, kInput}, 1),
                        weights(body, "R", {c.gates * kHidden, kHidden}, 2),
                        weights(body, "B", {c.biases * kHidden}, 3)},
                       c.attributes);
          },
          slice);
      check(model, loop, kLifted,
            "Parameter h; Parameter cell/slice; Reshape cell/row(cell/slice); ProjectedCell cell(cell/row, "
            "h); Unsqueeze y_t(cell)");
    }
  }
}

// An LSTM keeps its cell state beside: here the second state starts from the first.
Source lstm(Model& body, Source x, Source h, std::vector<Source> weights_of_it) {
  std::vector<Source> inputs = {x, h, h};
  inputs.insert(inputs.end(), weights_of_it.begin(), weights_of_it.end());
  const Source cell = add(body, "LSTMCell", "cell", inputs, {{"hidden_size", "3"}}, 2);
  return add(body, "Add", "sum", {cell, {cell.node, 1}});
}

TEST(HoistMatMuls, BothFormsOfWeightsOfLstm) {
  for (const bool fused : {false, true}) {
    for (const char* type : {"TensorIterator", "Loop"}) {
      Model model;
      const Source x = parameter(model, "x", {2, Dimension(), kInput});
      const Source state = parameter(model, "state", {2, kHidden});
      Node& loop = add_loop(
          model, x, state,
          [&](Model& body, Source x_t, Source h) {
            std::vector<Source> inputs = {weights(body, "WR", {4 * kHidden, kInput + kHidden}, 1)};
            if (!fused) {
              inputs = {weights(body, "W", {4 * kHidden, kInput}, 1),
                        weights(body, "R", {4 * kHidden, kHidden}, 2)};
            }
            inputs.push_back(weights(body, "B", {4 * kHidden}, 3));
            return lstm(body, squeezed(body, x_t), h, inputs);
          },
          slice_along_steps(), type);
      check(model, loop,
            std::string("Parameter x; Parameter state; MatMul cell/input_projection(x); ") + type +
                " loop(state, cell/input_projection)",
            "Parameter h; Parameter cell/slice; Reshape cell/row(cell/slice); ProjectedCell cell(cell/row, "
            "h, h); Add sum(cell, cell:1); Unsqueeze y_t(sum)");
    }
  }
}

TEST(HoistMatMuls, ProductsBesideOtherReadersOfTheSlice) {
  Model model;
  const Source x = parameter(model, "x", {2, Dimension(), kInput});
  const Source state = parameter(model, "state", {2, kHidden});
  Node& loop = add_loop(model, x, state, [](Model& body, Source x_t, Source h) {
    const Source direct = add(body, "MatMul", "direct", {x_t, weights(body, "M", {kInput, kHidden}, 1)});
    const Source n = weights(body, "N", {kHidden, kInput}, 2);
    const Source viewed = add(body, "MatMul", "viewed", {squeezed(body, x_t), n}, {{"transpose_b", "true"}});
    const Source flat = add(body, "Squeeze", "flat", {direct, integers(body, "axis", {1})});
    const Source sum = add(body, "Add", "sum", {viewed, flat});
    const Source mean = add(body, "ReduceMean", "mean", {x_t, integers(body, "axes", {1, 2})});
    const Source column = add(body, "Unsqueeze", "column", {mean, integers(body, "column_axis", {1})});
    return add(body, "Add", "next", {add(body, "Multiply", "scaled", {sum, column}), h});
  });
  check(model, loop,
        "Parameter x; Parameter state; MatMul viewed/input_projection(x); MatMul direct/input_projection(x); "
        "TensorIterator loop(x, state, viewed/input_projection, direct/input_projection)",
        "Parameter x_t; Parameter h; Parameter viewed/slice; Parameter direct/slice; Reshape "
        "viewed/row(viewed/slice); Squeeze flat(direct/slice); Add sum(viewed/row, flat); ReduceMean "
        "mean(x_t); Unsqueeze column(mean); Multiply scaled(sum, column); Add next(scaled, h); Unsqueeze "
        "y_t(next)");
}

TEST(HoistMatMuls, WhatIsNoProductOfRowsStays) {
  // Columns of the first product are no rows of the slice; weights of the second change from step to step.
  Model model;
  const Source x = parameter(model, "x", {2, Dimension(), kInput});
  const Source state = parameter(model, "state", {2, kHidden});
  Node& loop = add_loop(model, x, state, [](Model& body, Source x_t, Source h) {
    const Source row = squeezed(body, x_t);
    const Source column = add(body, "MatMul", "column", {row, h}, {{"transpose_a", "true"}});
    const Source changing = add(body, "MatMul", "changing", {row, column});
    return add(body, "Add", "next", {changing, h});
  });
  check(model, loop, "Parameter x; Parameter state; TensorIterator loop(x, state)",
        "Parameter x_t; Parameter h; Squeeze row(x_t); MatMul column(row, h); MatMul changing(row, column); "
        "Add next(changing, h); Unsqueeze y_t(next)");
}

// Weights that bodies keep as they are stored stay so in front of the loop.
TEST(HoistMatMuls, QuantisedWeightsOfCells) {
  for (const bool fused : {false, true}) {
    Model model;
    const Source x = parameter(model, "x", {2, Dimension(), kInput});
    const Source state = parameter(model, "state", {2, kHidden});
    Node& loop = add_loop(model, x, state, [&](Model& body, Source x_t, Source h) {
      std::vector<Source> inputs = {
          in_f32(body, "WR", stored(body, "WR stored", ElementType::kF16, {4 * kHidden, kInput + kHidden}))};
      if (!fused) {
        inputs = {in_f32(body, "W", stored(body, "W stored", ElementType::kF16, {4 * kHidden, kInput})),
                  in_f32(body, "R", stored(body, "R stored", ElementType::kF16, {4 * kHidden, kHidden}, 2))};
      }
      inputs.push_back(weights(body, "B", {4 * kHidden}, 3));
      return lstm(body, squeezed(body, x_t), h, inputs);
    });
    Model& body = *loop.bodies[0].model;
    body.index();
    body.infer();
    ASSERT_TRUE(keep_quantised_constants(body, registry()));
    body.index();
    check(model, loop, kLifted,
          "Parameter h; Parameter cell/slice; Reshape cell/row(cell/slice); ProjectedCell cell(cell/row, "
          "h, h); Add sum(cell, cell:1); Unsqueeze y_t(sum)");
    EXPECT_NE(ops::quantised_of(*loop.inputs[1].node->inputs[1].node), nullptr);
    for (const auto& node : body.nodes) {
      if (node->type != "ProjectedCell") continue;
      EXPECT_NE(ops::quantised_of(*node->inputs[3].node), nullptr);
    }
  }
}

TEST(HoistMatMuls, QuantisedProducts) {
  Model model;
  const Source x = parameter(model, "x", {2, Dimension(), kInput});
  const Source state = parameter(model, "state", {2, kHidden});
  Node& loop = add_loop(model, x, state, [](Model& body, Source x_t, Source h) {
    const Source values = in_f32(body, "values", stored(body, "stored", ElementType::kU8, {kHidden, kInput}));
    const Source zeros = in_f32(body, "zeros", stored(body, "stored zeros", ElementType::kU8, {kHidden, 1}));
    const Source shifted = add(body, "Subtract", "shifted", {values, zeros});
    const Source w = add(body, "Multiply", "w", {shifted, weights(body, "scale", {1, kInput})});
    const Source product =
        add(body, "MatMul", "product", {squeezed(body, x_t), w}, {{"transpose_b", "true"}});
    return add(body, "Add", "next", {product, h});
  });
  Model& body = *loop.bodies[0].model;
  body.index();
  body.infer();
  ASSERT_TRUE(keep_quantised_constants(body, registry()));
  body.index();
  check(model, loop,
        "Parameter x; Parameter state; MatMul product/input_projection(x); TensorIterator "
        "loop(state, "
        "product/input_projection)",
        "Parameter h; Parameter product/slice; Reshape product/row(product/slice); Add next(product/row, h); "
        "Unsqueeze y_t(next)");
}

TEST(HoistMatMuls, ManyRowsAndSlicesOfRowsStay) {
  for (const bool many : {false, true}) {
    Model model;
    const int64_t batch = many ? 32 : 2;
    PartialShape shape = {batch, 1, 5 * kInput};
    if (many) shape = {batch, Dimension(), kInput};
    const Source x = parameter(model, "x", shape);
    Body body;
    body.model = std::make_unique<Model>();
    const Source x_t = parameter(*body.model, "x_t", {batch, 1, kInput});
    const Source w = weights(*body.model, "W", {kInput, kHidden});
    result(*body.model, add(*body.model, "MatMul", "y_t", {x_t, w}));
    BodyInput slice = slice_along_steps();
    if (!many) slice.axis = 2, slice.stride = slice.part_size = kInput;
    body.inputs = {slice};
    BodyOutput concatenated;
    concatenated.axis = 1;
    body.outputs = {concatenated};
    Node& loop = *add(model, "TensorIterator", "loop", {x}).node;
    loop.bodies.push_back(std::move(body));
    result(model, {&loop, 0});
    check(model, loop, "Parameter x; TensorIterator loop(x)", "Parameter x_t; MatMul y_t(x_t)");
  }
}

TEST(HoistMatMuls, ErrorsNameTheCellOfTheModel) {
  Model model;
  const Source x = parameter(model, "x", {2, Dimension(), kInput});
  const Source state = parameter(model, "state", {2, kHidden});
  Node& loop = add_loop(model, x, state, [](Model& body, Source x_t, Source h) {
    return add(body, "RNNCell", "cell",
               {squeezed(body, x_t), h, weights(body, "W", {kHidden, kInput}),
                weights(body, "R", {kHidden, kHidden})},
               {{"hidden_size", "3"}});
  });
  model.index();
  model.infer();
  EXPECT_TRUE(hoist_mat_muls(model, registry()));
  model.index();
  for (const auto& node : loop.bodies[0].model->nodes) {
    if (node->name != "R") continue;
    node->constant = std::make_shared<model::ConstantData>(Tensor(ElementType::kF32, {kHidden, 7}));
    node->outputs[0].shape = {kHidden, 7};
  }
  try {
    model.infer();
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("RNNCell"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("'cell'"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace wasmvino::passes
