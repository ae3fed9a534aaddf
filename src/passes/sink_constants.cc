// SPDX-License-Identifier: Apache-2.0
// Moves constant subgraphs of the outer graph that a body reads in each iteration into the body. Weights are
// then packed for their users there, and quantised weights stay quantised.
#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "passes/body_inputs.h"
#include "passes/edit.h"
#include "passes/passes.h"

namespace wasmvino::passes {
namespace {

using model::Body;
using model::BodyInput;
using model::Model;
using model::Node;
using model::NodeKind;
using model::Source;

// Dequantisation chains have about ten operations.
constexpr size_t kMostNodes = 32;

// Copies constants, and values computed from them, into a body.
class Copies {
 public:
  explicit Copies(Model& to) : to_(to) {}

  // Whether a value is computed from constants by few operations. Only then may copy() be called for it.
  bool can_copy(Source source) {
    seen_.clear();
    return follow(*source.node);
  }

  Source copy(Source source) {
    const Node& node = *source.node;
    if (const auto made = made_.find(&node); made != made_.end()) return {made->second, source.port};
    std::vector<Source> inputs;
    for (const Source& input : node.inputs) inputs.push_back(copy(input));
    auto clone = remade(node, node.op, std::move(inputs));
    clone->kind = node.kind;
    clone->constant = node.constant;
    clone->outputs[0].names.clear();
    return {made_[&node] = to_.add(std::move(clone)), source.port};
  }

 private:
  bool follow(const Node& node) {
    if (std::find(seen_.begin(), seen_.end(), &node) != seen_.end()) return true;
    if (seen_.size() == kMostNodes) return false;
    seen_.push_back(&node);
    if (node.kind == NodeKind::kConstant) return true;
    if (!is_function_of_inputs(node)) return false;
    return std::all_of(node.inputs.begin(), node.inputs.end(),
                       [&](const Source& input) { return follow(*input.node); });
  }

  Model& to_;
  std::unordered_map<const Node*, Node*> made_;
  std::vector<const Node*> seen_;
};

bool is_same_in_all_iterations(const Body& body, const BodyInput& map) {
  if (map.axis || map.purpose != BodyInput::Purpose::kNone) return false;
  for (const model::BackEdge& edge : body.back_edges) {
    if (edge.parameter == map.parameter) return false;
  }
  return true;
}

bool sink(Node& node, Body& body) {
  bool changed = false;
  Copies copies(*body.model);
  for (size_t i = body.inputs.size(); i-- > 0;) {
    const BodyInput map = body.inputs[i];
    const Source source = node.inputs[map.input];
    if (!is_same_in_all_iterations(body, map) || !copies.can_copy(source)) continue;
    body.model->replace_uses({body.model->parameters[map.parameter], 0}, copies.copy(source));
    drop_body_input(node, body, i);
    changed = true;
  }
  if (changed) body.model->index();
  return changed;
}

}  // namespace

bool sink_constants(Model& model, const model::Registry&) {
  return rewrite_operations(model, [](Node& node) {
    bool changed = false;
    for (Body& body : node.bodies) changed |= sink(node, body);
    return changed;
  });
}

}  // namespace wasmvino::passes
