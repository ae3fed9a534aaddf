// SPDX-License-Identifier: Apache-2.0
// What passes that match patterns share: users of a value, values that are constant, nodes made anew.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/registry.h"
#include "ops/common/elementwise.h"

namespace wasmvino::passes {

struct SourceHash {
  size_t operator()(const model::Source& source) const {
    return std::hash<const void*>()(source.node) * 31 + source.port;
  }
};

// The only user of output 0 of a node whose other outputs nobody uses; nullptr where there are none or several.
model::Node* only_user(const model::Node& node);
// The same, where that can become part of the node: an operation with one output, of f32.
model::Node* next_of(const model::Node& node);

// Whether a node is the sum of two values of f32 whose shapes are written alike. Sizes that are open may
// still differ, and be broadcast by numpy's rule.
bool is_sum_of_likes(const model::Node& node);

inline const model::OutputPort& port_of(model::Source source) { return source.node->outputs[source.port]; }
inline const PartialShape& shape_of(model::Source source) { return port_of(source).shape; }

// The value of a constant; no tensor for what is none.
Tensor constant_of(model::Source source);

// Whether a node computes one value from its inputs and nothing else, without bodies.
bool is_function_of_inputs(const model::Node& node);

// The value of what is computed from constants alone, nothing for other values.
std::optional<Tensor> computed_value(model::Source source);

// The integers of a constant.
std::optional<Ints> constant_ints(model::Source source);

// The only value of a constant of f32.
std::optional<float> number_of(model::Source source);

// The function that a node applies to each element of its input 0, where it is one that kernels know.
std::optional<kernels::UnaryFunction> unary_function_of(const model::Node& node);

// A constant of f32 that, broadcast to `shape`, has one value for each index of axis `axis`, or one for all:
// these values, as many as the axis has indices. Nothing for other values, and where that size is open.
std::optional<std::vector<float>> values_by_channel(model::Source source, const PartialShape& shape,
                                                    size_t axis);

// The input of an operation of two that is combined with such a constant, whose shape the output has.
struct ByChannel {
  model::Source data;
  std::vector<float> values;
};
// Where a node of this type combines f32 data with a constant by channel, in any order, by numpy's rule.
std::optional<ByChannel> by_channel(const model::Node& node, std::string_view type, size_t axis);
// Where a node multiplies data by such values or divides it by them (they are the reciprocals then), all
// finite.
std::optional<ByChannel> scaled_by_channel(const model::Node& node, size_t axis);

// Where a node adds such values to data or subtracts them from it (they are negative then).
std::optional<ByChannel> added_by_channel(const model::Node& node, size_t axis);

// Where `next` does so to output 0 of `last`, `bias` becomes the sum of the values with what it is: a
// constant [size of the axis], or nothing (its node is null). False for other nodes.
bool add_bias(model::Model& model, const model::Node& next, const model::Node& last, size_t axis,
              model::Source& bias);

model::Source add_constant(model::Model& model, std::string name,
                           std::shared_ptr<const model::ConstantData> value);
// The constant of `from`, f32, with each element multiplied: element i by values[i / step % count], where
// blocks of `block` elements have `count` values of their own (`block` 0: there is one). It is computed when
// somebody asks: once weights are packed, neither they nor those that they are computed from stay in memory.
model::Source add_scaled(model::Model& model, const model::Node& from, std::vector<float> values, size_t step,
                         size_t block = 0);
model::Source add_floats(model::Model& model, std::string name, Shape shape,
                         const std::vector<float>& values);
model::Source add_ints(model::Model& model, std::string name, const Ints& values);

// A node like `node` in name, type and outputs, with another operation.
std::unique_ptr<model::Node> remade(const model::Node& node, std::shared_ptr<model::Op> op,
                                    std::vector<model::Source> inputs);

// The same with an operation of the passes' own, which gives the type.
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

// The operation of a node with some of its attributes changed.
std::shared_ptr<model::Op> with_attributes(const model::Registry& registry, const model::Node& node,
                                           const model::AttributeTexts& changed);
// The attribute as text; empty where the operation has none of that name.
std::string attribute_of(const model::Node& node, std::string_view name);
// The attribute as a number; 0 where the operation has none of that name.
double number_of(const model::Node& node, std::string_view name);
// Whether it says true.
bool is_true(const model::Node& node, std::string_view name);
// Whether the node broadcasts by numpy's rule.
bool is_numpy(const model::Node& node);

// Sets types and shapes of all outputs after a rewrite. Those that the declared parameters of a body
// contradict are left open: the node around it knows better.
void infer_again(model::Model& model);

}  // namespace wasmvino::passes
