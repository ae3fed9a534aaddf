// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/fused_attention.h"
#include "ops/movement/transpose.h"
#include "ops/sequence/scaled_dot_product_attention.h"
#include "passes/match.h"
#include "passes/passes.h"

namespace wasmvino::passes {
namespace {

using model::Model;
using model::Node;
using model::Source;
using ops::FusedAttention;
using ops::scaled_dot_product_attention::ScaledDotProductAttention;

// The order of a Transpose, where it is constant and lists all axes.
Ints order_of(const Node& node) {
  if (op_of<ops::transpose::Transpose>(node) == nullptr) return {};
  return constant_ints(node.inputs[1]).value_or(Ints());
}

}  // namespace

bool fuse_attention_transposes(Model& model, const model::Registry&) {
  return rewrite_operations(model, [&](Node& node) {
    const auto* op = op_of<ScaledDotProductAttention>(node);
    if (op == nullptr || node.outputs[0].type != ElementType::kF32) return false;
    std::vector<Source> inputs = node.inputs;
    ops::AttentionOrders orders;
    Ints* const of_inputs[] = {&orders.query, &orders.key, &orders.value};
    Node* last = &node;
    bool transposes = false;
    for (size_t k = 0; k < 3; ++k) {
      const Node& before = *inputs[k].node;
      if (only_user(before) != &node) continue;  // who else reads it needs it transposed
      *of_inputs[k] = order_of(before);
      if (of_inputs[k]->empty()) continue;
      inputs[k] = before.inputs[0];
      transposes = true;
    }
    Node* after = only_user(node);
    if (after != nullptr && after->inputs[0].node == &node) {
      const Ints order = order_of(*after);
      // Rows are written as a whole.
      if (!order.empty() && order.back() == static_cast<int64_t>(order.size()) - 1) {
        orders.output = order;
        last = after;
        transposes = true;
      }
    }
    if (!transposes) return false;
    auto fused = std::make_shared<FusedAttention>(op->attributes().causal, orders);
    put_in_place(model, *last, remade_as(node, std::move(fused), std::move(inputs)));
    return true;
  });
}

}  // namespace wasmvino::passes
