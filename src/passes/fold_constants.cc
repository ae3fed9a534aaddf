// SPDX-License-Identifier: Apache-2.0
#include "model/infer.h"
#include "passes/passes.h"

namespace wasmvino::passes {

using model::Node;
using model::NodeKind;

namespace {

bool is_foldable(const Node& node) {
  if (node.kind != NodeKind::kOperation || node.inputs.empty() || node.outputs.size() != 1) return false;
  if (!node.bodies.empty() || !node.op->is_pure()) return false;
  for (const model::Source& source : node.inputs) {
    if (source.node->kind != NodeKind::kConstant) return false;
  }
  return true;
}

}  // namespace

bool fold_constants(model::Model& model, const model::Registry&) {
  // Nodes come after their inputs: what was folded serves those that follow.
  bool changed = false;
  for (const auto& owned : model.nodes) {
    Node& node = *owned;
    if (!is_foldable(node)) continue;
    std::vector<Tensor> inputs;
    for (const model::Source& source : node.inputs) inputs.push_back(source.node->constant->value());
    std::vector<Tensor> values = model::evaluate_node(node, inputs);
    // The values that it was computed from are read again if somebody else wants them.
    for (const model::Source& source : node.inputs) source.node->constant->drop();
    // The node itself becomes the constant, so that its name goes on naming the value.
    node.constant = std::make_shared<model::ConstantData>(std::move(values[0]));
    node.op = std::make_shared<model::ConstantOp>();
    node.kind = NodeKind::kConstant;
    node.type = "Constant";
    node.version = 1;
    node.inputs.clear();
    node.outputs[0].type = node.constant->type();
    node.outputs[0].shape = node.constant->shape();
    changed = true;
  }
  return changed;
}

}  // namespace wasmvino::passes
