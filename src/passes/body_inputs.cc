// SPDX-License-Identifier: Apache-2.0
#include "passes/body_inputs.h"

namespace wasmvino::passes {

using model::Body;
using model::BodyInput;

void drop_body_input(model::Node& node, Body& body, size_t i) {
  const BodyInput map = body.inputs[i];
  body.inputs.erase(body.inputs.begin() + static_cast<ptrdiff_t>(i));
  body.model->parameters.erase(body.model->parameters.begin() + static_cast<ptrdiff_t>(map.parameter));
  for (BodyInput& other : body.inputs) {
    if (other.parameter > map.parameter) --other.parameter;
  }
  for (model::BackEdge& edge : body.back_edges) {
    if (edge.parameter > map.parameter) --edge.parameter;
  }
  for (const Body& each : node.bodies) {
    for (const BodyInput& other : each.inputs) {
      if (other.purpose == BodyInput::Purpose::kNone && other.input == map.input) return;
    }
  }
  // The number of iterations and the conditions belong to the node itself.
  if (map.input < (node.type == "Loop" ? 2 : node.type == "If" ? 1 : 0)) return;
  node.inputs.erase(map.input);
  for (Body& each : node.bodies) {
    for (BodyInput& other : each.inputs) {
      if (other.input > map.input) --other.input;
    }
  }
}

}  // namespace wasmvino::passes
