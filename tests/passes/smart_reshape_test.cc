// SPDX-License-Identifier: Apache-2.0
// OpenVINO 2026.4 accepts the models that follow a new shape here, except those of GRU, RNN and sequences.
#include "passes/smart_reshape.h"

#include <functional>

#include "runtime/compiled_model.h"
#include "tests/passes/pass_tester.h"

namespace wasmvino::passes {
namespace {

using model::Body;
using model::BodyInput;
using model::BodyOutput;

constexpr int64_t kInput = 3, kHidden = 4, kSteps = 5;

void set_shape(Node& parameter, PartialShape shape) {
  auto op = std::make_shared<model::ParameterOp>();
  op->type = ElementType::kF32;
  op->shape = std::move(shape);
  parameter.op = std::move(op);
}

Tensor run(const Model& model, const std::vector<Tensor>& inputs) {
  const auto request = runtime::CompiledModel::compile(model, registry())->create_infer_request();
  for (size_t i = 0; i < inputs.size(); ++i) request->set_input(i, inputs[i]);
  request->infer();
  return request->output(0);
}

Tensor random(const Shape& shape, uint32_t seed) {
  return Tensor::of<float>(shape, kernels::random_floats(element_count(shape), seed).data());
}

// Part `index` of an axis, as a tensor with one element there.
Tensor part(const Tensor& all, size_t axis, int64_t index) {
  Shape shape = all.shape();
  int64_t inner = 1, outer = 1;
  for (size_t i = axis + 1; i < shape.size(); ++i) inner *= shape[i];
  for (size_t i = 0; i < axis; ++i) outer *= shape[i];
  std::vector<float> values;
  for (int64_t i = 0; i < outer; ++i) {
    const float* from = all.data<float>() + (i * shape[axis] + index) * inner;
    values.insert(values.end(), from, from + inner);
  }
  shape[axis] = 1;
  return Tensor::of<float>(shape, values.data());
}

// A model of x with a batch of 1, whose batch becomes 3, gives for each of three what it gave for one.
void expect_batches(PartialShape shape, size_t axis, const std::function<Source(Model&, Source)>& build) {
  Model model;
  result(model, build(model, parameter(model, "x", shape)));
  model.index();
  model.infer();
  const std::unique_ptr<Model> original = model.clone();
  smart_reshape(model, registry());
  model.infer();
  shape[axis] = 3;
  set_shape(*model.parameters[0], shape);
  model.infer();
  const Tensor x = random(shape.to_shape(), 7);
  const Tensor y = run(model, {x});
  for (int64_t i = 0; i < 3; ++i) {
    const Tensor alone = part(x, axis, i);
    expect_same({part(y, axis, i)}, {run(*original, {alone})});
  }
}

std::vector<Source> with_weights(Model& model, std::vector<Source> inputs, int64_t gates, Shape front) {
  const auto shape = [&](std::initializer_list<int64_t> sizes) {
    Shape whole = front;
    for (const int64_t size : sizes) whole.push_back(size);
    return whole;
  };
  inputs.push_back(weights(model, "w", shape({gates * kHidden, kInput}), 1));
  inputs.push_back(weights(model, "r", shape({gates * kHidden, kHidden}), 2));
  inputs.push_back(weights(model, "b", shape({gates * kHidden}), 3));
  return inputs;
}

struct Kind {
  std::string name;
  int64_t gates;
  size_t states;
};
const Kind kKinds[] = {{"RNN", 1, 1}, {"GRU", 3, 1}, {"LSTM", 4, 2}};

TEST(SmartReshape, StatesOfCellsFollowTheBatch) {
  for (const Kind& kind : kKinds) {
    SCOPED_TRACE(kind.name);
    expect_batches({1, kInput}, 0, [&](Model& m, Source x) {
      std::vector<Source> inputs = {x, weights(m, "h", {1, kHidden}, 4)};
      if (kind.states == 2) inputs.push_back(weights(m, "c", {1, kHidden}, 5));
      return add(m, kind.name + "Cell", "cell", with_weights(m, inputs, kind.gates, {}),
                 {{"hidden_size", "4"}}, kind.states);
    });
  }
}

TEST(SmartReshape, StatesOfSequencesFollowTheBatch) {
  for (const Kind& kind : kKinds) {
    SCOPED_TRACE(kind.name);
    expect_batches({1, kSteps, kInput}, 0, [&](Model& m, Source x) {
      std::vector<Source> inputs = {x, weights(m, "h", {1, 1, kHidden}, 4)};
      if (kind.states == 2) inputs.push_back(weights(m, "c", {1, 1, kHidden}, 5));
      // The lengths are those of the batch, so they are computed from x.
      const Source batch =
          add(m, "Gather", "batch",
              {add(m, "ShapeOf", "shape", {x}), integers(m, "first", {0}), integers(m, "axis", {0})});
      const int64_t steps = kSteps;
      const Source length = {m.add_constant("length", Tensor::of<int64_t>({}, &steps)), 0};
      inputs.push_back(add(m, "Broadcast", "lengths", {length, batch}));
      return add(m, kind.name + "Sequence", "sequence", with_weights(m, inputs, kind.gates, {1}),
                 {{"hidden_size", "4"}, {"direction", "forward"}}, 1 + kind.states);
    });
  }
}

// A TensorIterator over the steps of x, whose batch is the other axis of the first two.
Source loop(Model& model, Source x, const Kind& kind, int64_t batch, size_t batch_axis, bool reshaped) {
  const int64_t step_axis = batch_axis == 0 ? 1 : 0;
  Body body;
  body.model = std::make_unique<Model>();
  Model& inside = *body.model;
  const Source slice = parameter(
      inside, "slice", step_axis == 1 ? PartialShape{batch, 1, kInput} : PartialShape{1, batch, kInput});
  const Source row = reshaped
                         ? add(inside, "Reshape", "row", {slice, integers(inside, "row_sizes", {-1, kInput})},
                               {{"special_zero", "false"}})
                         : add(inside, "Squeeze", "row", {slice, integers(inside, "row_axis", {step_axis})});
  std::vector<Source> inputs = {row}, outer = {x};
  for (size_t state = 0; state < kind.states; ++state) {
    inputs.push_back(parameter(inside, "state" + std::to_string(state), {batch, kHidden}));
    outer.push_back(weights(model, "initial" + std::to_string(state), {batch, kHidden}, 4));
  }
  const Source cell = add(inside, kind.name + "Cell", "cell", with_weights(inside, inputs, kind.gates, {}),
                          {{"hidden_size", "4"}}, kind.states);
  BodyInput sliced;
  sliced.axis = step_axis;
  body.inputs.push_back(sliced);
  for (size_t state = 0; state < kind.states; ++state) {
    result(inside, {cell.node, state});
    BodyInput merged;
    merged.input = merged.parameter = 1 + state;
    body.inputs.push_back(merged);
    body.back_edges.push_back({.result = state, .parameter = 1 + state});
  }
  result(inside, add(inside, "Unsqueeze", "step", {cell, integers(inside, "step_axis", {step_axis})}));
  BodyOutput steps;
  steps.result = kind.states;
  steps.axis = step_axis;
  body.outputs.push_back(steps);
  const Source made = add(model, "TensorIterator", "loop", outer, {}, 1);
  made.node->bodies.push_back(std::move(body));
  return made;
}

TEST(SmartReshape, StatesOfCellsInBodiesFollowTheBatch) {
  for (const Kind& kind : kKinds) {
    SCOPED_TRACE(kind.name);
    for (const bool reshaped : {false, true}) {
      expect_batches({1, kSteps, kInput}, 0,
                     [&](Model& m, Source x) { return loop(m, x, kind, 1, 0, reshaped); });
      expect_batches({kSteps, 1, kInput}, 1,
                     [&](Model& m, Source x) { return loop(m, x, kind, 1, 1, reshaped); });
    }
  }
}

// Weights that were released, and cannot be read now.
class UnreadableBytes final : public ByteSource {
 public:
  size_t size() const override { return 16; }
  void read(size_t, size_t, void*) const override { fail(ErrorCode::kUnreadable, "released"); }
};

TEST(SmartReshape, ReportsWeightsThatCannotBeRead) {
  Model model;
  const Source x = parameter(model, "x", {1, kSteps, kInput});
  const Source made = loop(model, x, kKinds[1], 1, 0, true);
  result(model, made);
  model.index();
  model.infer();
  for (const auto& node : made.node->bodies[0].model->nodes) {
    if (node->name != "row_sizes") continue;
    node->constant = std::make_shared<model::ConstantData>(ElementType::kI64, Shape{2},
                                                           std::make_shared<UnreadableBytes>(), 0, 16);
  }
  try {
    smart_reshape(model, registry());
    FAIL() << "the sizes of the Reshape are unknown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnreadable) << error.what();
    EXPECT_EQ(error.layer(), "row");
  }
}

TEST(SmartReshape, StatesOfSeveralSequencesAreNotRepeated) {
  Model model;
  const Source x = parameter(model, "x", {2, kInput});
  result(model,
         add(model, "GRUCell", "cell", with_weights(model, {x, weights(model, "h", {2, kHidden})}, 3, {}),
             {{"hidden_size", "4"}}));
  model.index();
  model.infer();
  smart_reshape(model, registry());
  set_shape(*model.parameters[0], {4, kInput});
  EXPECT_THROW(model.infer(), Error);
}

TEST(SmartReshape, ProposalsKeepTheSizeOfTheFirstImage) {
  for (const std::initializer_list<int64_t>& sizes : {std::initializer_list<int64_t>{3}, {-1}}) {
    Model model;
    const Source scores = parameter(model, "scores", {1, 6, 4, 5});
    const Source deltas = parameter(model, "deltas", {1, 12, 4, 5});
    const Source image = parameter(model, "image", {1, 3});
    const Source row = add(model, "Reshape", "row", {image, integers(model, "row/sizes", sizes)},
                           {{"special_zero", "false"}});
    result(model, add(model, "Proposal", "proposal", {scores, deltas, row},
                      {{"base_size", "16"},
                       {"pre_nms_topn", "20"},
                       {"post_nms_topn", "5"},
                       {"nms_thresh", "0.7"},
                       {"feat_stride", "16"},
                       {"min_size", "1"},
                       {"ratio", "0.5,1,2"},
                       {"scale", "4"}},
                      2));
    model.index();
    model.infer();
    const float whole[] = {64, 80, 1, 10, 10, 1};
    const std::vector<Tensor> one = {random({1, 6, 4, 5}, 1), random({1, 12, 4, 5}, 2),
                                     Tensor::of<float>({1, 3}, whole)};
    const Tensor expected = run(model, one);
    smart_reshape(model, registry());
    set_shape(*model.parameters[0], {2, 6, 4, 5});
    set_shape(*model.parameters[1], {2, 12, 4, 5});
    set_shape(*model.parameters[2], {2, 3});
    model.infer();
    const Tensor got =
        run(model, {random({2, 6, 4, 5}, 1), random({2, 12, 4, 5}, 2), Tensor::of<float>({2, 3}, whole)});
    ASSERT_EQ(got.shape(), (Shape{10, 5}));
    // Random numbers of a batch of 2 begin with those of a batch of 1.
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(got.data<float>()[i], expected.data<float>()[i]);
  }
}

// data, converted, added to x [1, 7], which becomes [3, 11].
std::vector<float> positions_in(const Tensor& data, const std::string& mode) {
  Model model;
  const Source x = parameter(model, "x", {1, 7});
  const Source all =
      add(model, "Broadcast", "positions",
          {{model.add_constant("data", data), 0}, add(model, "ShapeOf", "shape", {x})}, {{"mode", mode}});
  const Source sum =
      add(model, "Add", "sum", {add(model, "Convert", "real", {all}, {{"destination_type", "f32"}}), x});
  result(model, sum);
  model.index();
  model.infer();
  smart_reshape(model, registry());
  set_shape(*model.parameters[0], {3, 11});
  model.infer();
  const std::vector<float> zeros(33);
  const Tensor y = run(model, {Tensor::of<float>({3, 11}, zeros.data())});
  return {y.data<float>(), y.data<float>() + y.size()};
}

TEST(SmartReshape, PositionsAreCountedAsFarAsTheShapeSays) {
  for (const Shape& shape : {Shape{7}, Shape{1, 7}}) {
    const std::vector<float> got =
        positions_in(Tensor::of<int64_t>(shape, {0, 1, 2, 3, 4, 5, 6}), "bidirectional");
    ASSERT_EQ(got.size(), 33u);
    for (size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], static_cast<float>(i % 11));
    EXPECT_THROW(positions_in(Tensor::of<int64_t>(shape, {0, 1, 2, 3, 4, 6, 5}), "bidirectional"), Error);
    EXPECT_THROW(positions_in(Tensor::of<int64_t>(shape, {0, 1, 2, 3, 4, 5, 6}), "numpy"), Error);
  }
}

}  // namespace
}  // namespace wasmvino::passes
