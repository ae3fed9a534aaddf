// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/fused_attention.h"
#include "passes/match.h"
#include "passes/passes.h"

namespace wasmvino::passes {
namespace {

using model::Model;
using model::Node;
using model::Source;
using ops::FusedAttention;

// The order of a Transpose, where it is constant and lists all axes.
Ints order_of(const Node& node) {
  if (node.type != "Transpose") return {};
  return constant_ints(node.inputs[1]).value_or(Ints());
}

}  // namespace

bool fuse_attention_moves(Model& model, const model::Registry&) {
  return rewrite_operations(model, [&](Node& node) {
    if (made_by({&node, 0}, "ScaledDotProductAttention") == nullptr) return false;
    std::vector<Source> inputs = node.inputs;
    ops::AttentionOrders orders;
    Ints* const of_inputs[] = {&orders.query, &orders.key, &orders.value};
    Node* last = &node;
    bool moves = false;
    for (size_t k = 0; k < 3; ++k) {
      const Node& before = *inputs[k].node;
      if (only_user(before) != &node) continue;  // who else reads it needs it moved
      *of_inputs[k] = order_of(before);
      if (of_inputs[k]->empty()) continue;
      inputs[k] = before.inputs[0];
      moves = true;
    }
    Node* after = only_user(node);
    if (after != nullptr && after->inputs[0].node == &node) {
      const Ints order = order_of(*after);
      // Rows are written as a whole.
      if (!order.empty() && order.back() == static_cast<int64_t>(order.size()) - 1) {
        orders.output = order;
        last = after;
        moves = true;
      }
    }
    if (!moves) return false;
    const bool causal = is_true(node, "causal");
    put_in_place(model, *last,
                 remade_as(node, std::make_shared<FusedAttention>(causal, orders), std::move(inputs)));
    return true;
  });
}

}  // namespace wasmvino::passes
