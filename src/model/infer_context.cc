// SPDX-License-Identifier: Apache-2.0
#include "model/infer_context.h"

#include <algorithm>

#include "core/error.h"
#include "model/infer.h"
#include "model/node.h"

namespace wasmvino::model {

namespace {

// Chains that dequantise weights have up to seven operations and as many constants.
constexpr size_t kMostWeightNodes = 32;

// Whether the node computes a weight from constants, with at most `budget` nodes before it.
bool is_weight(const Node& node, size_t& budget) {
  if (node.kind == NodeKind::kConstant) return true;
  if (node.kind != NodeKind::kOperation || node.inputs.empty()) return false;
  for (const Source source : node.inputs) {
    if (source.node == nullptr || budget == 0) return false;
    --budget;
    if (!is_weight(*source.node, budget)) return false;
  }
  return true;
}

}  // namespace

void check_axes(const PartialShape& shape, std::string_view what) {
  if (!shape.has_rank() || shape.rank() <= kMostAxes) return;
  throw Error(ErrorCode::kInvalidShape,
              cat(what, " would have ", shape.rank(), " axes, at most ", kMostAxes, " are supported"))
      .expected(cat("at most ", kMostAxes, " axes"))
      .actual(cat(shape.rank(), " axes"));
}

void InferContext::set_output(size_t i, ElementType type, PartialShape shape) {
  if (i >= outputs_.size()) {
    fail(ErrorCode::kInvalidModel, "the layer has ", outputs_.size(),
         " outputs, but the operation has at least ", i + 1);
  }
  if (shape.has_rank() && shape.rank() > kMostAxes) check_axes(shape, cat("output ", i));
  for (size_t axis = 0; shape.has_rank() && axis < shape.rank(); ++axis) {
    const Dimension size = shape[axis];
    if (size.min >= 0 && size.max >= 0) continue;
    fail(ErrorCode::kInvalidShape, "output ", i, " would have ", std::min(size.min, size.max),
         " elements along axis ", axis);
  }
  // Ensures that sizes computed from those of a tensor, here and in kernels, fit size_t. Dequantised weights
  // may exceed the memory, since no kernel writes them as a whole. Otherwise compile_kernel() refuses them.
  if (shape.is_static()) {
    const size_t count = element_count(shape.to_shape());
    size_t budget = kMostWeightNodes;
    if (!is_addressable(type, count) && !is_weight(node_, budget)) storage_bytes(type, count);
  }
  outputs_[i] = {type, std::move(shape), nullptr};
}

void InferContext::set_output_value(size_t i, Tensor value) {
  set_output(i, value.type(), value.shape());
  outputs_[i].constant = std::make_shared<ConstantData>(std::move(value));
}

void InferContext::expect_inputs(size_t first, size_t last) const {
  const size_t count = input_count();
  if (count >= first && count <= last) return;
  const std::string wanted = first == last ? cat(first) : cat(first, " to ", last);
  throw Error(ErrorCode::kInvalidModel, cat("the layer has ", count, " inputs, expected ", wanted))
      .expected(wanted)
      .actual(cat(count));
}

std::vector<ValueInfo> InferContext::infer_body(size_t body, std::span<const ValueInfo> parameters,
                                                std::vector<char>& asked) const {
  const Model& model = *node_.bodies[body].model;
  const Inference inference = infer_model(model, parameters, variables_);
  // A requested value may be computed from the parameters, so walk back from the requested values to the
  // parameters. Values that follow from types and shapes alone end the walk.
  std::vector<char> reached(model.nodes.size());
  const auto reach = [&](Source source) {
    const size_t node = source.node->index;
    const bool computed = inference.of(source).constant == nullptr || inference.folded[node] ||
                          source.node->kind == NodeKind::kParameter;
    if (computed) reached[node] = 1;
  };
  for (const Inference::Asked& place : inference.asked) reach(model.nodes[place.node]->inputs[place.input]);
  for (size_t i = model.nodes.size(); i-- > 0;) {
    if (!reached[i]) continue;
    for (const Source& source : model.nodes[i]->inputs) reach(source);
  }
  asked.assign(model.parameters.size(), 0);
  for (size_t i = 0; i < model.parameters.size(); ++i) asked[i] = reached[model.parameters[i]->index];

  std::vector<ValueInfo> results;
  results.reserve(model.results.size());
  for (const Node* result : model.results) results.push_back(inference.of(result->inputs[0]));
  return results;
}

const Variable* InferContext::variable(std::string_view id) const {
  if (variables_ == nullptr) return nullptr;
  for (const Variable* variable : *variables_) {
    if (variable->id == id) return variable;
  }
  return nullptr;
}

}  // namespace wasmvino::model
