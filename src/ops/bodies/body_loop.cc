// SPDX-License-Identifier: Apache-2.0
#include "ops/bodies/body_loop.h"

#include "ops/bodies/body_parts.h"

namespace wasmvino::ops {
namespace {

// Makes sizes dynamic that change from one iteration to the next.
bool widen(PartialShape& shape, const PartialShape& next) {
  if (shape == next || !shape.has_rank()) return false;
  if (!next.has_rank() || next.rank() != shape.rank()) {
    shape = PartialShape();
    return true;
  }
  bool changed = false;
  for (size_t axis = 0; axis < shape.rank(); ++axis) {
    if (next[axis].min >= shape[axis].min && next[axis].max <= shape[axis].max) continue;
    shape[axis] = Dimension();
    changed = true;
  }
  return changed;
}

// The shape of a state before the first iteration; nullptr if the result is not a state.
const PartialShape* initial_shape(const InferContext& context, size_t result) {
  const Body& body = context.node().bodies[0];
  for (const BackEdge& edge : body.back_edges) {
    if (edge.result != result) continue;
    for (const BodyInput& map : body.inputs) {
      if (map.parameter == edge.parameter) return &context.input_shape(map.input);
    }
  }
  return nullptr;
}

}  // namespace

void check_port_map(const Node& node) {
  if (node.bodies.empty()) fail(ErrorCode::kInvalidModel, "the layer has no body");
  const Body& body = node.bodies[0];
  std::vector<char> mapped(body.model->parameters.size());
  for (const BodyInput& map : body.inputs) {
    if (mapped[map.parameter]) {
      fail(ErrorCode::kInvalidModel, "the body parameter '", body.model->parameters[map.parameter]->name,
           "' has two inputs");
    }
    mapped[map.parameter] = 1;
  }
  for (size_t i = 0; i < mapped.size(); ++i) {
    if (mapped[i]) continue;
    fail(ErrorCode::kInvalidModel, "the body parameter '", body.model->parameters[i]->name,
         "' has no input in the port map");
  }
  for (const BackEdge& edge : body.back_edges) {
    for (const BodyInput& map : body.inputs) {
      if (map.parameter == edge.parameter && (map.axis || map.purpose != BodyInput::Purpose::kNone)) {
        fail(ErrorCode::kInvalidModel, "the body parameter '", body.model->parameters[edge.parameter]->name,
             "' has a back edge and is sliced");
      }
    }
  }
  std::vector<char> given(node.outputs.size());
  for (const BodyOutput& map : body.outputs) {
    if (map.purpose == BodyOutput::Purpose::kNone) given[map.output] = 1;
  }
  for (size_t i = 0; i < given.size(); ++i) {
    if (!given[i]) fail(ErrorCode::kInvalidModel, "output ", i, " has no result in the port map");
  }
}

std::optional<int64_t> sliced_iterations(const Node& node, const InferContext& context) {
  std::optional<int64_t> iterations;
  size_t first_input = 0;
  for (const BodyInput& map : node.bodies[0].inputs) {
    if (!map.axis) continue;
    const PartialShape& shape = context.input_shape(map.input);
    part_length(map);
    if (!shape.has_rank()) continue;
    const Dimension size = shape[axis_of(map, shape.rank())];
    if (!size.is_static()) continue;
    const int64_t count = resolve_parts(map, size.size()).count;
    if (iterations && count != *iterations) {
      fail(ErrorCode::kInvalidShape, "input ", first_input, " has ", *iterations, " parts, but input ",
           map.input, " has ", count);
    }
    if (!iterations) first_input = map.input;
    iterations = count;
  }
  return iterations;
}

std::vector<ValueInfo> infer_loop(InferContext& context, std::optional<int64_t> iterations) {
  const Body& body = context.node().bodies[0];
  std::vector<ValueInfo> parameters = first_parameters(context);
  std::vector<ValueInfo> results;
  std::vector<char> asked;
  // Each pass makes at least one more size dynamic, so the number of sizes bounds the number of passes.
  bool changed = true;
  while (changed) {
    results = context.infer_body(0, parameters, asked);
    changed = false;
    for (const BackEdge& edge : body.back_edges) {
      ValueInfo& parameter = parameters[edge.parameter];
      const ValueInfo& result = results[edge.result];
      if (result.type != parameter.type && result.type != ElementType::kDynamic &&
          parameter.type != ElementType::kDynamic) {
        fail(ErrorCode::kInvalidType, "the body parameter '", body.model->parameters[edge.parameter]->name,
             "' is of type ", parameter.type, ", but its back edge has type ", result.type);
      }
      // With at most one iteration, no parameter takes the shape of a result.
      if (!iterations || *iterations > 1) changed |= widen(parameter.shape, result.shape);
    }
  }
  for (const BodyInput& map : body.inputs) {
    const bool invariant =
        !map.axis && map.purpose == BodyInput::Purpose::kNone && !back_edge_to(body, map.parameter);
    if (invariant && asked[map.parameter]) context.mark_asked(map.input);
  }
  for (const BodyOutput& map : body.outputs) {
    if (map.purpose != BodyOutput::Purpose::kNone) continue;
    const ValueInfo& result = results[map.result];
    PartialShape shape = result.shape;
    if (map.axis && shape.has_rank()) {
      const int64_t length = part_length(map);
      Dimension& size = shape[axis_of(map, shape.rank())];
      if (!size.contains(length)) {
        fail(ErrorCode::kInvalidShape, describe(map), " has parts of length ", length,
             ", but the body returns shape ", result.shape);
      }
      size = iterations ? Dimension(*iterations) * Dimension(length) : Dimension();
      if (iterations) {
        const int64_t count = resolve_parts(map, size.size()).count;
        if (count != *iterations) {
          fail(ErrorCode::kInvalidShape, describe(map), " has ", count, " parts, but the body runs ",
               *iterations, " times");
        }
      }
    }
    // If no iteration runs, the output is the initial value.
    const PartialShape* initial = map.axis ? nullptr : initial_shape(context, map.result);
    if (initial != nullptr && !iterations) widen(shape, *initial);
    if (initial != nullptr && iterations == 0) shape = *initial;
    context.set_output(map.output, result.type, std::move(shape));
  }
  return results;
}

}  // namespace wasmvino::ops
