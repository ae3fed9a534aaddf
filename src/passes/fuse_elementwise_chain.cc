// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ops/elementwise/elementwise.h"
#include "ops/internal/elementwise_chain.h"
#include "passes/constants.h"
#include "passes/edit.h"
#include "passes/elementwise.h"
#include "passes/passes.h"

namespace wasmvino::passes {
namespace {

using model::Model;
using model::Node;
using model::Source;
using ops::ChainStep;
using ops::ElementwiseChain;

bool is_f32(Source source) { return port_of(source).type == ElementType::kF32; }

// Whether a value of shape `to` keeps its number of elements, as far as is known, when it is combined with
// one of shape `by`. Otherwise the earlier steps would be computed again for each repetition.
bool keeps(const PartialShape& to, const PartialShape& by) {
  if (by.has_rank() && by.rank() == 0) return true;
  if (!to.has_rank() || !by.has_rank() || by.rank() > to.rank()) return false;
  for (size_t axis = 0; axis < by.rank(); ++axis) {
    const Dimension own = to[to.rank() - by.rank() + axis];
    if (own == Dimension(1) && !(by[axis] == Dimension(1))) return false;
  }
  return true;
}

// What a node does to `data`, one of its inputs. `operand` is set to the other input, if there is one.
std::optional<ChainStep> step_of(const Node& node, size_t data, Source& operand) {
  if (node.outputs.size() != 1 || !is_f32(node.inputs[data]) || node.outputs[0].type != ElementType::kF32) {
    return std::nullopt;
  }
  const auto* op = op_of<ops::ElementwiseOp>(node);
  if (op == nullptr) return std::nullopt;
  const ops::ElementwiseFunction function = op->function(ElementType::kF32);
  ChainStep step;
  step.cost = function.cost;
  step.name = node.name;
  step.type = node.type;
  step.id = node.id;
  step.version = node.version;
  step.line = node.line;
  if (const auto unary = unary_function_of(node)) {
    if (data != 0) return std::nullopt;
    step.unary = *unary;
    return step;
  }
  if (!ops::is_binary_kernel(function) || node.inputs.size() != 2 || !is_numpy(node)) {
    return std::nullopt;
  }
  operand = node.inputs[1 - data];
  if (!is_f32(operand) || operand == node.inputs[data]) return std::nullopt;
  if (!keeps(shape_of(node.inputs[data]), shape_of(operand))) return std::nullopt;
  step.is_binary = true;
  step.binary = function.parameters.binary;
  step.operand_first = data == 1;
  if (const auto number = number_of(operand)) {
    step.number = *number;
    operand = {};
  }
  return step;
}

class Fusion {
 public:
  explicit Fusion(Model& model) : model_(model), taken_(model.nodes.size()) {}

  bool run() {
    return rewrite_operations(model_, [&](Node& node) {
      // The data must be a computed value with the shape of the result.
      for (size_t data = 0; data < std::min<size_t>(2, node.inputs.size()); ++data) {
        if (taken_[node.index] || node.inputs[data].node->kind == model::NodeKind::kConstant) continue;
        if (follow(node, data)) return true;
      }
      return false;
    });
  }

 private:
  // Fuses the chain that begins with a node.
  bool follow(Node& first, size_t data) {
    std::vector<Source> inputs = {first.inputs[data]};
    std::vector<ChainStep> steps;
    std::vector<Node*> nodes;
    for (Node* node = &first; node != nullptr && !taken_[node->index];) {
      Source operand;
      auto step = step_of(*node, data, operand);
      if (!step || !place(operand, inputs, *step)) break;
      steps.push_back(std::move(*step));
      nodes.push_back(node);
      Node* next = next_of(*node);
      if (next != nullptr) data = next->inputs[0].node == node ? 0 : 1;
      node = next;
    }
    // A single step is worth a chain only if it differs from the operation itself.
    const bool simplified = steps.size() == 1 && first.type == "Power" && !steps[0].is_binary;
    if (steps.size() < 2 && !simplified) return false;
    for (const Node* node : nodes) taken_[node->index] = 1;
    Node& last = *nodes.back();
    put_in_place(model_, last,
                 remade_as(last, std::make_shared<ElementwiseChain>(std::move(steps)), std::move(inputs)));
    return true;
  }

  // Finds the operand among the inputs, or adds it. Returns false if the chain has the maximum number of
  // inputs.
  static bool place(Source operand, std::vector<Source>& inputs, ChainStep& step) {
    if (operand.node == nullptr) return true;
    const auto found = std::find(inputs.begin(), inputs.end(), operand);
    if (found == inputs.end() && inputs.size() == ops::kMaxOperands) return false;
    step.operand = static_cast<size_t>(found - inputs.begin());
    if (found == inputs.end()) inputs.push_back(operand);
    return true;
  }

  Model& model_;
  std::vector<char> taken_;  // by node
};

}  // namespace

bool fuse_elementwise_chain(Model& model, const model::Registry&) { return Fusion(model).run(); }

}  // namespace wasmvino::passes
