// SPDX-License-Identifier: Apache-2.0
#include "passes/elementwise.h"

#include "passes/constants.h"
#include "passes/edit.h"

namespace wasmvino::passes {

using model::Node;
using model::Source;

std::optional<ops::AutoBroadcast> auto_broadcast(const Node& node) {
  const auto* op = op_of<ops::ElementwiseOp>(node);
  return op != nullptr ? op->auto_broadcast() : std::nullopt;
}

bool is_numpy(const Node& node) { return auto_broadcast(node) == ops::AutoBroadcast::kNumpy; }

bool is_sum_of_likes(const Node& node) {
  if (node.type != "Add" || node.outputs[0].type != ElementType::kF32) return false;
  const Source a = node.inputs[0], b = node.inputs[1];
  const PartialShape& shape = shape_of(a);
  if (!shape.has_rank() || !(shape == shape_of(b))) return false;
  return shape.is_static() || is_numpy(node);
}

namespace {

// Powers that are multiplications or roots; the general power takes 20 times as long. As in OpenVINO, a root
// of -inf is NaN, and one of -0.0 is -0.0. An exponent with more axes than the data would add axes.
std::optional<ops::UnaryFunction> power_of(const Node& node) {
  using ops::Unary;
  const std::optional<float> exponent = number_of(node.inputs[1]);
  const PartialShape& data = shape_of(node.inputs[0]);
  if (!exponent || !is_numpy(node)) return std::nullopt;
  const size_t rank = node.inputs[1].node->constant->shape().size();
  if (rank > 0 && (!data.has_rank() || rank > data.rank())) return std::nullopt;
  if (*exponent == 2.0f) return ops::UnaryFunction{Unary::kSquare, 0, 0};
  if (*exponent == 3.0f) return ops::UnaryFunction{Unary::kPower, 3, 0};
  if (*exponent == 0.5f) return ops::UnaryFunction{Unary::kSqrt, 0, 0};
  if (*exponent == -0.5f) return ops::UnaryFunction{Unary::kPower, -0.5f, 0};
  if (*exponent == -1.0f) return ops::UnaryFunction{Unary::kReciprocal, 0, 0};
  return std::nullopt;
}

}  // namespace

std::optional<ops::UnaryFunction> unary_function_of(const Node& node) {
  using ops::Unary;
  // Operations whose parameters are inputs.
  constexpr struct {
    std::string_view type;
    Unary kind;
    float alpha, beta;  // if the inputs are missing
  } kParametric[] = {{"PRelu", Unary::kLeakyRelu, 0, 0},
                     {"Swish", Unary::kSwish, 1, 0},
                     {"HardSigmoid", Unary::kHardSigmoid, 0, 0},
                     {"Selu", Unary::kSelu, 0, 0}};
  for (const auto& parametric : kParametric) {
    if (node.type != parametric.type) continue;
    ops::UnaryFunction function = {parametric.kind, parametric.alpha, parametric.beta};
    for (size_t i = 1; i < node.inputs.size(); ++i) {
      const std::optional<float> number = number_of(node.inputs[i]);
      if (!number) return std::nullopt;
      (i == 1 ? function.alpha : function.beta) = *number;
    }
    return function;
  }
  if (node.type == "Power") return power_of(node);
  const auto* op = op_of<ops::ElementwiseOp>(node);
  if (op == nullptr || node.inputs.size() != 1) return std::nullopt;
  const ops::ElementwiseFunction function = op->function(ElementType::kF32);
  if (function.loop != ops::unary_kernel_loop || function.result != ElementType::kF32) return std::nullopt;
  return function.parameters.unary;
}

}  // namespace wasmvino::passes
