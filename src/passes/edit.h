// SPDX-License-Identifier: Apache-2.0
// Shared by all passes: finds users of values, and recreates and replaces nodes.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "core/call.h"
#include "model/registry.h"

namespace wasmvino::passes {

struct SourceHash {
  size_t operator()(const model::Source& source) const {
    return std::hash<const void*>()(source.node) * 31 + source.port;
  }
};

// The only user of output 0 of a node whose other outputs have no users. nullptr if there is no user or
// several.
model::Node* only_user(const model::Node& node);
// Like only_user(), if the user can be fused into the node: an operation with one output, of f32.
model::Node* next_of(const model::Node& node);

// The operation of a node as a T, or nullptr.
template <typename T>
const T* op_of(const model::Node& node) {
  return model::op_cast<T>(node.op.get());
}

// Whether a node computes one value from its inputs, has no other effect and no bodies.
bool is_function_of_inputs(const model::Node& node);

// Like model::remade(), with an internal operation and its type.
std::unique_ptr<model::Node> remade_as(const model::Node& node, std::shared_ptr<model::Op> op,
                                       std::string_view type, std::vector<model::Source> inputs);
template <typename T>
std::unique_ptr<model::Node> remade_as(const model::Node& node, std::shared_ptr<T> op,
                                       std::vector<model::Source> inputs) {
  return remade_as(node, std::move(op), T::kType, std::move(inputs));
}

// Adds `made`, which replaces the node for all users of its output.
void put_in_place(model::Model& model, model::Node& node, std::unique_ptr<model::Node> made);
// Like put_in_place(), for another form of the same node: the id and line are kept too.
void replace_with(model::Model& model, model::Node& node, std::unique_ptr<model::Node> made);

// A shape with its axes in another order. A shape of unknown rank is returned unchanged.
PartialShape in_order(const PartialShape& shape, const Ints& order);
// Adds a Transpose of a value.
model::Source add_transpose(model::Model& model, const model::Registry& registry, model::Source source,
                            const Ints& order, const std::string& name);

// Calls `rewrite` for every operation of the model, except those added during the calls. Returns true if any
// call returned true.
template <typename Rewrite>
bool rewrite_operations(model::Model& model, const Rewrite& rewrite) {
  bool changed = false;
  const size_t count = model.nodes.size();
  for (size_t i = 0; i < count; ++i) {
    model::Node& node = *model.nodes[i];
    current_call().poll();
    if (node.kind == model::NodeKind::kOperation && rewrite(node)) changed = true;
  }
  return changed;
}

// The input of a binary node that is not output 0 of `input`.
model::Source other_input(const model::Node& node, const model::Node& input);

// Sets the types and shapes of all outputs after a rewrite. If they contradict the declared parameters of a
// body, they stay dynamic: the node around the body knows the actual ones.
void infer_again(model::Model& model);

}  // namespace wasmvino::passes
