// SPDX-License-Identifier: Apache-2.0
#include "ops/activation/softmax.h"
#include "passes/match.h"
#include "passes/passes.h"

namespace wasmvino::passes {
namespace {

using model::Model;
using model::Node;
using model::Source;

// Matches e^(x - max(x)) / sum(e^(x - max(x))). Returns x and sets `axis`.
std::optional<Source> softmax_of(Source source, size_t& axis) {
  const Node* quotient = made_by(source, "Divide");
  const Node* exp = quotient != nullptr ? made_by(quotient->inputs[0], "Exp") : nullptr;
  if (exp == nullptr) return std::nullopt;
  const auto summed = reduced_along(quotient->inputs[1], "ReduceSum", axis);
  const Node* difference = made_by(exp->inputs[0], "Subtract");
  if (!summed || !(*summed == quotient->inputs[0]) || difference == nullptr) return std::nullopt;
  size_t axis_of_maximum = 0;
  const auto compared = reduced_along(difference->inputs[1], "ReduceMax", axis_of_maximum);
  if (!compared || !(*compared == difference->inputs[0]) || axis_of_maximum != axis) return std::nullopt;
  return compared;
}

}  // namespace

bool fuse_softmax(Model& model, const model::Registry& registry) {
  return rewrite_operations(model, [&](Node& node) {
    size_t axis = 0;
    const auto data = softmax_of({&node, 0}, axis);
    if (!data) return false;
    replace_with(
        model, node,
        registry.make_node<ops::softmax::Softmax>(node.name, {*data}, {.axis = static_cast<int64_t>(axis)}));
    return true;
  });
}

}  // namespace wasmvino::passes
