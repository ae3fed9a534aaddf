// SPDX-License-Identifier: Apache-2.0
#include "passes/match.h"
#include "passes/passes.h"

namespace wasmvino::passes {
namespace {

using model::Model;
using model::Node;
using model::Source;

bool is_identity(const Ints& order) {
  for (size_t i = 0; i < order.size(); ++i) {
    if (order[i] != static_cast<int64_t>(i)) return false;
  }
  return !order.empty();
}

// Whether a node gives its input 0 as it is.
bool is_nothing(const Node& node) {
  const Source data = node.inputs[0];
  if (node.type == "Transpose") {
    const auto order = constant_ints(node.inputs[1]);
    return order && is_identity(*order);
  }
  const ElementType type = data.node->outputs[data.port].type;
  if (node.type == "Convert") return type != ElementType::kDynamic && type == node.outputs[0].type;
  return node.type == "Reshape" && shape_of(data).is_static() && shape_of(data) == node.outputs[0].shape;
}

}  // namespace

bool drop_moves(Model& model, const model::Registry& registry) {
  return rewrite_operations(model, [&](Node& node) {
    if (node.inputs.empty() || node.outputs.size() != 1) return false;
    if (is_nothing(node)) {
      model.replace_uses({&node, 0}, node.inputs[0]);
      return true;
    }
    // A Transpose of a Transpose: output axis i is axis outer[i] of the inner one.
    Node& inner = *node.inputs[0].node;
    if (node.type != "Transpose" || inner.type != "Transpose") return false;
    const auto outer_order = constant_ints(node.inputs[1]), inner_order = constant_ints(inner.inputs[1]);
    if (!outer_order || !inner_order || outer_order->size() != inner_order->size()) return false;
    if (outer_order->empty()) return false;  // all axes the other way round
    Ints order;
    for (const int64_t axis : *outer_order) order.push_back((*inner_order)[static_cast<size_t>(axis)]);
    const Source source = inner.inputs[0];
    if (is_identity(order)) {
      model.replace_uses({&node, 0}, source);
    } else {
      const Source constant = add_ints(model, node.name + "/order", order);
      replace_with(model, node, registry.make_node("Transpose", node.name, {source, constant}));
    }
    return true;
  });
}

}  // namespace wasmvino::passes
