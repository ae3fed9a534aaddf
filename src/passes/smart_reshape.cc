// SPDX-License-Identifier: Apache-2.0
#include "passes/smart_reshape.h"

#include <algorithm>
#include <optional>

#include "model/infer.h"
#include "ops/bodies/body_parts.h"
#include "ops/movement/broadcast.h"
#include "ops/sequence/recurrent.h"
#include "passes/edit.h"
#include "passes/follow_batch.h"

namespace wasmvino::passes {
namespace {

using model::Body;
using model::BodyInput;
using model::Model;
using model::Node;
using model::Source;
using ops::broadcasting::Broadcast;

// Initial states are inputs 1 to `count` of cells and sequences.
size_t state_count(const Node& node) {
  if (const auto* cell = op_of<ops::CellOp>(node)) return cell->attributes().states();
  if (const auto* sequence = op_of<ops::SequenceOp>(node)) return sequence->attributes().states();
  return 0;
}

class SmartReshape {
 public:
  SmartReshape(Model& model, const model::Registry& registry) : model_(model), registry_(registry) {}

  void run() {
    rewrite_operations(model_, [&](Node& node) {
      for (size_t state = 1; state <= state_count(node); ++state) repeat(node, state, node.inputs[0], 0);
      if (node.bodies.size() == 1) repeat_states_of_body(node);
      if (node.type == "Proposal") keep_first_image(node);
      if (op_of<Broadcast>(node) != nullptr) count_positions(node);
      return false;
    });
  }

 private:
  Source add(std::string_view type, const std::string& name, std::vector<Source> inputs,
             const model::AttributeTexts& attributes = {}) {
    Node* node = model_.add(registry_.make_node(type, name, std::move(inputs), attributes));
    node->outputs.resize(1);
    return {node, 0};
  }
  Source scalar(const std::string& name, int64_t value) {
    return {model_.add_constant(name, Tensor::of<int64_t>({}, {value})), 0};
  }

  static bool is_state_of_one(Source source) {
    return is_constant(source) && shape_of(source).rank() > 1 && shape_of(source)[0] == Dimension(1);
  }

  // Repeats a constant initial state of one sequence for the batch, which is axis `axis` of `data`.
  void repeat(Node& node, size_t input, Source data, size_t axis) {
    const Source state = node.inputs[input];
    const PartialShape& shape = shape_of(state);
    if (!is_state_of_one(state) || is_constant(data)) return;
    const std::string name = cat(node.name, "/state_", input);
    const Source batch =
        add("Gather", name + "/batch",
            {add("ShapeOf", name + "/shape", {data}),
             model_.add_ints(name + "/axis", {static_cast<int64_t>(axis)}), scalar(name + "/of_shape", 0)});
    Ints others;
    for (size_t i = 1; i < shape.rank(); ++i) others.push_back(shape[i].size());
    const Source target =
        add("Concat", name + "/target", {batch, model_.add_ints(name + "/others", others)}, {{"axis", "0"}});
    node.inputs.set(input, add("Broadcast", name, {state, target}));
  }

  // Constant initial states of cells in the body.
  void repeat_states_of_body(Node& loop) {
    const Body& body = loop.bodies[0];
    for (const BodyInput& map : body.inputs) {
      const bool is_initial =
          map.purpose == BodyInput::Purpose::kNone && !map.axis && is_state_of_one(loop.inputs[map.input]);
      if (!is_initial) continue;
      for (const model::User& user : body.model->parameters[map.parameter]->users(0)) {
        if (op_of<ops::CellOp>(*user.node) == nullptr || user.input > state_count(*user.node)) continue;
        const std::optional<Axis> batch = batch_of(loop, *user.node);
        if (batch) repeat(loop, map.input, batch->data, batch->axis);
        break;
      }
    }
  }

  struct Axis {
    Source data;
    size_t axis;
  };

  // The axis of an input of the loop that becomes the batch of a cell in its body: if its size were dynamic,
  // that of the batch would be.
  static std::optional<Axis> batch_of(const Node& loop, const Node& cell) {
    const Body& body = loop.bodies[0];
    std::vector<model::ValueInfo> inputs;
    for (const Source& input : loop.inputs) inputs.push_back({port_of(input).type, shape_of(input), nullptr});
    std::vector<const model::ValueInfo*> pointers;
    for (const model::ValueInfo& input : inputs) pointers.push_back(&input);
    std::vector<model::ValueInfo> parameters = ops::first_parameters(loop, pointers);
    const auto batch_is_dynamic = [&] {
      std::vector<Error> ignored;
      const model::Inference inference = infer_model(*body.model, parameters, nullptr, &ignored);
      const PartialShape& shape = inference.of(cell.inputs[0]).shape;
      return shape.has_rank() && shape.rank() > 0 && !shape[0].is_static();
    };
    if (batch_is_dynamic()) return std::nullopt;
    for (const BodyInput& map : body.inputs) {
      PartialShape& shape = parameters[map.parameter].shape;
      if (map.purpose != BodyInput::Purpose::kNone || !shape.has_rank()) continue;
      const PartialShape known = shape;
      for (size_t axis = 0; axis < known.rank(); ++axis) {
        if (map.axis && axis == ops::axis_of(map, known.rank())) continue;
        shape[axis] = Dimension();
        if (batch_is_dynamic()) return Axis{loop.inputs[map.input], axis};
        shape = known;
      }
    }
    return std::nullopt;
  }

  // image_shape is the row of the first image.
  void keep_first_image(Node& node) {
    const PartialShape& shape = shape_of(node.inputs[2]);
    if (is_constant(node.inputs[2]) || shape.rank() != 1 || !shape[0].is_static()) return;
    const std::string name = node.name + "/image_shape";
    node.inputs.set(
        2, add("Slice", name,
               {node.inputs[2], model_.add_ints(name + "/start", {0}),
                model_.add_ints(name + "/stop", {shape[0].size()}), model_.add_ints(name + "/step", {1})}));
  }

  // Constant data 0, 1, 2, … along one axis, broadcast to a computed shape: counts as far as the shape says.
  void count_positions(Node& node) {
    const Source data = node.inputs[0];
    const Source target = node.inputs[1];
    if (op_of<Broadcast>(node)->attributes().mode != Broadcast::Mode::kBidirectional) return;
    if (!is_constant(data) || is_constant(target) || !is_integral(port_of(data).type)) return;
    const std::optional<Ints> values = model::constant_ints(data);
    if (!values) return;
    const PartialShape& shape = shape_of(data);
    const auto count = static_cast<int64_t>(values->size());
    size_t axis = 0;
    while (axis < shape.rank() && shape[axis] != Dimension(count)) ++axis;
    if (count < 2 || axis == shape.rank()) return;
    for (int64_t i = 0; i < count; ++i) {
      if ((*values)[i] != i) return;
    }
    const std::string name = node.name + "/positions";
    const auto from_end = static_cast<int64_t>(axis) - static_cast<int64_t>(shape.rank());
    const Source zero = scalar(name + "/start", 0);
    const Source one = scalar(name + "/step", 1);
    const Source size = add("Gather", name + "/size", {target, scalar(name + "/axis", from_end), zero});
    // A size of 1 means that the data are kept.
    const Source stop =
        add("Select", name + "/stop",
            {add("Equal", name + "/is_one", {size, one}), scalar(name + "/count", count), size});
    Source positions = add("Range", name, {zero, stop, one},
                           {{"output_type", std::string(wasmvino::name(port_of(data).type))}});
    Ints sizes(shape.rank(), 1);
    sizes[axis] = -1;
    node.inputs.set(0, add("Reshape", name + "/shaped", {positions, model_.add_ints(name + "/sizes", sizes)},
                           {{"special_zero", "false"}}));
  }

  Model& model_;
  const model::Registry& registry_;
};

}  // namespace

void smart_reshape(Model& model, const model::Registry& registry) {
  follow_batch(model);
  SmartReshape(model, registry).run();
  model.index();
}

}  // namespace wasmvino::passes
