// SPDX-License-Identifier: Apache-2.0
// Operators that run graphs: branches and loops.
#include <algorithm>

#include "frontends/onnx/families.h"
#include "frontends/onnx/operands.h"

namespace wasmvino::onnx {
namespace {

using namespace frontends::build;  // NOLINT: builder functions are written in terms of these throughout
using model::BackEdge;
using model::Body;
using model::BodyInput;
using model::BodyOutput;

// Adds the captured values of a body to the inputs of its node. They are the last parameters.
void connect_captured(BodyGraph& graph, Body& body, std::vector<Source>& inputs) {
  const size_t first = graph.model->parameters.size() - graph.captured.size();
  for (size_t i = 0; i < graph.captured.size(); ++i) {
    BodyInput map;
    map.input = inputs.size();
    map.parameter = first + i;
    body.inputs.push_back(map);
    inputs.push_back(graph.captured[i]);
  }
}

// Gives the first `count` outputs of the node that produces `made`.
void give_outputs(Context& c, const Source& made, size_t count) {
  std::vector<Source> outputs;
  for (size_t i = 0; i < count; ++i) outputs.push_back(model::Builder::output(made, i));
  c.give(outputs);
}

void branch(Context& c) {
  const Source condition = c.input(0);
  if (const auto known = c.b().known_ints(condition); known && known->size() == 1) {
    const std::vector<Value> values = c.merged((*known)[0] != 0 ? "then_branch" : "else_branch");
    for (size_t i = 0; i < c.output_count() && i < values.size(); ++i) c.give_value(i, values[i]);
    return;
  }
  std::vector<Source> inputs = {condition};
  std::vector<Body> bodies;
  for (const char* name : {"then_branch", "else_branch"}) {
    BodyGraph graph = c.body(name, {});
    if (graph.model->results.size() != c.output_count()) {
      fail(ErrorCode::kInvalidModel, "its ", name, " has ", graph.model->results.size(),
           " outputs, expected ", c.output_count());
    }
    Body body;
    connect_captured(graph, body, inputs);
    for (size_t i = 0; i < c.output_count(); ++i) {
      BodyOutput map;
      map.output = map.result = i;
      body.outputs.push_back(map);
    }
    body.model = std::move(graph.model);
    bodies.push_back(std::move(body));
  }
  const size_t count = c.output_count();
  give_outputs(c, c.b().add_with_bodies("If", inputs, std::move(bodies), count), count);
}

// A shape that both fit. Returns whether it differs from `shape`.
bool widen(PartialShape& shape, const PartialShape& other) {
  if (!shape.has_rank()) return false;
  if (!other.has_rank() || other.rank() != shape.rank()) {
    shape = PartialShape();
    return true;
  }
  bool widened = false;
  for (size_t i = 0; i < shape.rank(); ++i) {
    if (shape[i] == other[i] || shape[i] == Dimension()) continue;
    shape[i] = Dimension();
    widened = true;
  }
  return widened;
}

// Builds a body whose parameters `first` and so on are states that its results `first_result` and so on
// replace. Sizes of states that change become dynamic. Each pass makes at least one more size dynamic.
BodyGraph stable_body(Context& c, std::vector<BodyParameter>& parameters, size_t first, size_t count,
                      size_t first_result, const StackedAxes& stacked) {
  for (;;) {
    BodyGraph graph = c.body("body", parameters, stacked);
    if (graph.model->results.size() < first_result + count) {
      fail(ErrorCode::kInvalidModel, "its body has ", graph.model->results.size(), " outputs, expected ",
           first_result + count, " at least");
    }
    bool widened = false;
    for (size_t i = 0; i < count; ++i) {
      const Source result = graph.model->results[first_result + i]->inputs[0];
      widened |= widen(parameters[first + i].shape, model::shape_of(result));
    }
    if (!widened) return graph;
  }
}

BodyInput invariant(size_t input, size_t parameter) {
  BodyInput map;
  map.input = input;
  map.parameter = parameter;
  return map;
}

BodyOutput last_value(size_t output, size_t result) {
  BodyOutput map;
  map.output = output;
  map.result = result;
  return map;
}

BodyParameter like(Context& c, const Source& value) { return {c.b().type(value), c.b().shape(value)}; }

Source single(Context& c, const Source& value) { return reshape(c.b(), value, Ints()); }

void loop(Context& c) {
  const Graph& text = c.graph("body");
  const size_t states = c.input_count() > 2 ? c.input_count() - 2 : 0;
  if (text.inputs.size() != states + 2 || text.outputs.size() < states + 1) {
    fail(ErrorCode::kInvalidModel, "its body has ", text.inputs.size(), " inputs and ", text.outputs.size(),
         " outputs for ", states, " states");
  }
  const size_t scans = text.outputs.size() - states - 1;
  // -1: no limit
  const Source count = c.has_input(0) ? single(c, c.input(0)) : c.b().scalar(int64_t{-1});
  const Source condition = c.has_input(1) ? single(c, c.input(1)) : c.b().scalar(1, ElementType::kBoolean);
  std::vector<Source> inputs = {count, condition};
  std::vector<BodyParameter> parameters = {{ElementType::kI64, PartialShape(Shape())},
                                           {ElementType::kBoolean, PartialShape(Shape())}};
  for (size_t i = 0; i < states; ++i) {
    inputs.push_back(c.input(2 + i));
    parameters.push_back(like(c, c.input(2 + i)));
  }
  StackedAxes stacked(text.outputs.size());
  std::fill(stacked.begin() + static_cast<ptrdiff_t>(states + 1), stacked.end(), 0);
  BodyGraph graph = stable_body(c, parameters, 2, states, 1, stacked);
  Body body;
  body.inputs.push_back(invariant(0, 0));
  body.inputs.back().purpose = BodyInput::Purpose::kCurrentIteration;
  body.inputs.push_back(invariant(1, 1));
  body.outputs.push_back(last_value(0, 0));
  body.outputs.back().purpose = BodyOutput::Purpose::kExecutionCondition;
  body.back_edges.push_back({0, 1});
  for (size_t i = 0; i < states; ++i) {
    body.inputs.push_back(invariant(2 + i, 2 + i));
    body.back_edges.push_back({1 + i, 2 + i});
    body.outputs.push_back(last_value(i, 1 + i));
  }
  for (size_t i = 0; i < scans; ++i) {
    body.outputs.push_back(last_value(states + i, 1 + states + i));
    body.outputs.back().axis = 0;
  }
  connect_captured(graph, body, inputs);
  body.model = std::move(graph.model);
  std::vector<Body> bodies;
  bodies.push_back(std::move(body));
  give_outputs(c, c.b().add_with_bodies("Loop", inputs, std::move(bodies), states + scans), states + scans);
}

// Scans `given`: states, and the inputs whose slices the body gets.
std::vector<Source> scan(Context& c, const std::vector<Source>& given, const char* directions) {
  const Graph& text = c.graph("body");
  const auto scanned = static_cast<size_t>(c.integer("num_scan_inputs"));
  if (scanned == 0 || scanned > given.size() || text.inputs.size() != given.size() ||
      text.outputs.size() < given.size() - scanned) {
    fail(ErrorCode::kInvalidModel, "scans ", scanned, " of ", given.size(), " inputs with a body of ",
         text.inputs.size(), " inputs and ", text.outputs.size(), " outputs");
  }
  const size_t states = given.size() - scanned, scans = text.outputs.size() - states;
  const Ints axes = c.ints("scan_input_axes", scanned, 0), backward = c.ints(directions, scanned, 0),
             output_axes = c.ints("scan_output_axes", scans, 0),
             output_backward = c.ints("scan_output_directions", scans, 0);
  std::vector<Source> inputs;
  std::vector<BodyParameter> parameters;
  Body body;
  for (size_t i = 0; i < given.size(); ++i) {
    inputs.push_back(given[i]);
    parameters.push_back(like(c, given[i]));
    body.inputs.push_back(invariant(i, i));
    if (i < states) {
      body.back_edges.push_back({i, i});
      body.outputs.push_back(last_value(i, i));
      continue;
    }
    const size_t k = i - states;
    const int64_t axis = c.axis(axes[k], c.b().rank(given[i]));
    parameters[i].shape[static_cast<size_t>(axis)] = Dimension(1);
    parameters[i].sliced = axis;
    BodyInput& map = body.inputs.back();
    map.axis = axis;
    if (backward[k] != 0) {
      map.start = -1;
      map.end = 0;
      map.stride = -1;
    }
  }
  StackedAxes stacked(text.outputs.size());
  for (size_t i = 0; i < scans; ++i) {
    // A negative axis counts those of the output, one more than the body's result has.
    stacked[states + i] = output_axes[i];
    BodyOutput map = last_value(states + i, states + i);
    map.axis = output_axes[i];
    if (output_backward[i] != 0) {
      map.start = -1;
      map.end = 0;
      map.stride = -1;
    }
    body.outputs.push_back(map);
  }
  BodyGraph graph = stable_body(c, parameters, 0, states, 0, stacked);
  connect_captured(graph, body, inputs);
  body.model = std::move(graph.model);
  std::vector<Body> bodies;
  bodies.push_back(std::move(body));
  const Source made = c.b().add_with_bodies("TensorIterator", inputs, std::move(bodies), states + scans);
  std::vector<Source> outputs;
  for (size_t i = 0; i < states + scans; ++i) outputs.push_back(model::Builder::output(made, i));
  return outputs;
}

void scan(Context& c) {
  std::vector<Source> given;
  for (size_t i = 0; i < c.input_count(); ++i) given.push_back(c.input(i));
  c.give(scan(c, given, "scan_input_directions"));
}

// Opset 8: all inputs have a batch, whose elements are scanned one after the other.
void legacy_scan(Context& c) {
  if (c.has_input(0)) fail(ErrorCode::kUnsupported, "has sequence_lens (input 0)");
  Dimension batch;
  for (size_t i = 1; i < c.input_count(); ++i) {
    const PartialShape& shape = c.b().shape(c.input(i));
    if (shape.has_rank() && shape.rank() > 0 && shape[0].is_static()) batch = shape[0];
  }
  if (!batch.is_static() || batch.size() == 0)
    fail(ErrorCode::kUnsupported, "scans an unknown number of batch elements, expected a known one above 0");
  std::vector<std::vector<Source>> rows;  // by output
  for (int64_t k = 0; k < batch.size(); ++k) {
    c.count_made(1);
    std::vector<Source> given;
    for (size_t i = 1; i < c.input_count(); ++i) given.push_back(select(c.b(), c.input(i), 0, k));
    const std::vector<Source> outputs = scan(c, given, "directions");
    rows.resize(outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) rows[i].push_back(unsqueeze(c.b(), outputs[i], {0}));
  }
  std::vector<Source> outputs;
  for (const std::vector<Source>& parts : rows) outputs.push_back(concat(c.b(), parts, 0));
  c.give(outputs);
}

constexpr Entry kEntries[] = {
    {"If", kAllOpsets, branch, "If"},
    {"Loop", kAllOpsets, loop, "Loop"},
    {"Scan", until(8), legacy_scan, "TensorIterator"},
    {"Scan", since(9), scan, "TensorIterator"},
};

}  // namespace

std::span<const Entry> control_flow() { return kEntries; }

}  // namespace wasmvino::onnx
