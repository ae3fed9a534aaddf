// SPDX-License-Identifier: Apache-2.0
// What passes share: users of a value, nodes made anew and put in place of others.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "model/registry.h"

namespace wasmvino::passes {

struct SourceHash {
  size_t operator()(const model::Source& source) const {
    return std::hash<const void*>()(source.node) * 31 + source.port;
  }
};

// The only user of output 0 of a node whose other outputs nobody uses; nullptr where there are none or
// several.
model::Node* only_user(const model::Node& node);
// The same, where that can become part of the node: an operation with one output, of f32.
model::Node* next_of(const model::Node& node);

// The operation of a node as a T, or nullptr.
template <typename T>
const T* op_of(const model::Node& node) {
  return model::op_cast<T>(node.op.get());
}

// Whether a node computes one value from its inputs and nothing else, without bodies.
bool is_function_of_inputs(const model::Node& node);

// model::remade() with an operation of the passes' own, which gives the type.
std::unique_ptr<model::Node> remade_as(const model::Node& node, std::shared_ptr<model::Op> op,
                                       std::string_view type, std::vector<model::Source> inputs);
template <typename T>
std::unique_ptr<model::Node> remade_as(const model::Node& node, std::shared_ptr<T> op,
                                       std::vector<model::Source> inputs) {
  return remade_as(node, std::move(op), T::kType, std::move(inputs));
}

// Adds `made`, which takes over the output of a node and is read in its place.
void put_in_place(model::Model& model, model::Node& node, std::unique_ptr<model::Node> made);
// The same, where it is the node in another form: id and line are taken over, too.
void replace_with(model::Model& model, model::Node& node, std::unique_ptr<model::Node> made);

// Has `rewrite` look at every operation that a model has now, not at those that it adds meanwhile. True where
// it was true for one.
template <typename Rewrite>
bool rewrite_operations(model::Model& model, const Rewrite& rewrite) {
  bool changed = false;
  const size_t count = model.nodes.size();
  for (size_t i = 0; i < count; ++i) {
    model::Node& node = *model.nodes[i];
    if (node.kind == model::NodeKind::kOperation && rewrite(node)) changed = true;
  }
  return changed;
}

// What a node of two inputs reads beside output 0 of another one.
model::Source other_input(const model::Node& node, const model::Node& input);

// Sets types and shapes of all outputs after a rewrite. If they contradict the declared parameters of a body,
// they stay dynamic: the node around the body knows the actual ones.
void infer_again(model::Model& model);

}  // namespace wasmvino::passes
