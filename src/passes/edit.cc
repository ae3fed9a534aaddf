// SPDX-License-Identifier: Apache-2.0
#include "passes/edit.h"

#include "ops/movement/transpose.h"

namespace wasmvino::passes {

using model::Node;
using model::Source;

Node* only_user(const Node& node) {
  const std::span<const model::User> users = node.users(0);
  if (users.size() != 1) return nullptr;
  for (size_t port = 1; port < node.outputs.size(); ++port) {
    if (!node.users(port).empty()) return nullptr;
  }
  return users[0].node;
}

Node* next_of(const Node& node) {
  Node* next = only_user(node);
  const bool fits = next != nullptr && next->kind == model::NodeKind::kOperation &&
                    next->outputs.size() == 1 && next->outputs[0].type == ElementType::kF32;
  return fits ? next : nullptr;
}

bool is_function_of_inputs(const Node& node) {
  return node.kind == model::NodeKind::kOperation && node.outputs.size() == 1 && node.bodies.empty() &&
         node.op->is_pure() && !node.inputs.empty();
}

std::unique_ptr<Node> remade_as(const Node& node, std::shared_ptr<model::Op> op, std::string_view type,
                                std::vector<Source> inputs) {
  auto made = remade(node, std::move(op), std::move(inputs));
  made->type = type;
  made->version = 0;
  return made;
}

void put_in_place(model::Model& model, Node& node, std::unique_ptr<Node> made) {
  made->outputs = node.outputs;
  model.replace_uses({&node, 0}, {model.add(std::move(made)), 0});
}

void replace_with(model::Model& model, Node& node, std::unique_ptr<Node> made) {
  made->id = node.id;
  made->line = node.line;
  put_in_place(model, node, std::move(made));
}

PartialShape in_order(const PartialShape& shape, const Ints& order) {
  if (!shape.has_rank()) return shape;
  PartialShape result = PartialShape::of_rank(0);
  for (const int64_t axis : order) result.push_back(shape[static_cast<size_t>(axis)]);
  return result;
}

Source add_transpose(model::Model& model, const model::Registry& registry, Source source, const Ints& order,
                     const std::string& name) {
  const Source axes = model.add_ints(name + "/order", order);
  Node* node = model.add(registry.make_node(ops::transpose::Transpose::kType, name, {source, axes}));
  node->outputs[0] = {port_of(source).type, in_order(shape_of(source), order), {}};
  return {node, 0};
}

Source other_input(const Node& node, const Node& input) {
  return node.inputs[node.inputs[0].node == &input ? 1 : 0];
}

void infer_again(model::Model& model) {
  std::vector<Error> ignored;
  model.infer(&ignored);
}

}  // namespace wasmvino::passes
