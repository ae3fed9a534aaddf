// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ops/internal/compressed_cache.h"
#include "ops/internal/fused_attention.h"
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

// The elements of a small vector; std::nullopt for those that are not constant. The value must be a constant,
// or a Concat of constants and single numbers. Otherwise the result is empty.
std::vector<std::optional<int64_t>> partly_known(Source source) {
  std::vector<std::optional<int64_t>> elements;
  if (const auto all = constant_ints(source)) {
    elements.assign(all->begin(), all->end());
  } else if (source.node->type == "Concat") {
    for (const Source& piece : source.node->inputs) {
      const auto value = constant_ints(piece);
      if (!value && shape_of(piece) != PartialShape{1}) return {};
      if (value) {
        elements.insert(elements.end(), value->begin(), value->end());
      } else {
        elements.emplace_back();
      }
    }
  }
  return elements;
}

// Heads that Unsqueeze, Broadcast and Reshape repeat. [batch, n, length, width] becomes [batch, n * repeats,
// length, width]. Each head comes `repeats` times in a row.
struct Repetition {
  Source heads;
  size_t repeats;
};

std::optional<Repetition> repetition(Source source) {
  const Node& reshape = *source.node;
  if (reshape.type != "Reshape" || reshape.inputs[0].node->type != "Broadcast") return std::nullopt;
  const Node& broadcast = *reshape.inputs[0].node;
  const Node& unsqueeze = *broadcast.inputs[0].node;
  if (unsqueeze.type != "Unsqueeze" || broadcast.inputs.size() != 2) return std::nullopt;
  const auto axis = constant_ints(unsqueeze.inputs[1]);
  const PartialShape &heads = shape_of(unsqueeze.inputs[0]), &result = shape_of(source);
  if (!axis || axis->size() != 1 || ((*axis)[0] != 2 && (*axis)[0] != -3)) return std::nullopt;
  if (!heads.has_rank() || heads.rank() != 4 || !heads[1].is_static() || !heads[3].is_static())
    return std::nullopt;
  // Batch and length must be those of the heads. They are either 0 or 1, as GenAI's GGUF reader writes them,
  // or computed from shapes. Like OpenVINO, this pass accepts no other sizes. 0 is not a valid size by
  // itself, so a model that contains it relies on this fusion.
  const auto target = partly_known(broadcast.inputs[1]);
  if (target.size() != 5) return std::nullopt;
  const auto is = [&](size_t i, std::initializer_list<int64_t> sizes) {
    return target[i] && std::find(sizes.begin(), sizes.end(), *target[i]) != sizes.end();
  };
  if (!target[2] || *target[2] < 1 || !is(1, {1, heads[1].size()}) || !is(4, {1, heads[3].size()}))
    return std::nullopt;
  if ((target[0] && !is(0, {0, 1})) || (target[3] && !is(3, {0, 1}))) return std::nullopt;
  const int64_t repeats = *target[2];
  if (!result.has_rank() || result.rank() != 4 || result[1] != heads[1] * Dimension(repeats) ||
      result[3] != heads[3])
    return std::nullopt;
  return Repetition{unsqueeze.inputs[0], static_cast<size_t>(repeats)};
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
    size_t* const repeats[] = {nullptr, &orders.key_repeats, &orders.value_repeats};
    model::VariablePrecision* const precisions[] = {nullptr, &orders.key_precision, &orders.value_precision};
    bool changed = false;
    for (size_t k = 0; k < 3; ++k) {
      const auto repeated = k > 0 ? repetition(inputs[k]) : std::nullopt;
      if (repeated) {
        inputs[k] = repeated->heads;
        *repeats[k] = repeated->repeats;
        changed = true;
      }
      const Node& before = *inputs[k].node;
      const Node* user = only_user(before);
      if (user == nullptr) continue;  // other users need the transposed value
      if (!repeated && user != &node) continue;
      *of_inputs[k] = transpose_order(before);
      if (of_inputs[k]->empty()) continue;
      inputs[k] = before.inputs[0];
      changed = true;
      const auto* expand = model::op_cast<ops::ExpandCache>(inputs[k].node->op.get());
      // Rows are expanded as they are, so they must stay rows.
      if (k == 0 || expand == nullptr || only_user(*inputs[k].node) != &before ||
          of_inputs[k]->back() != static_cast<int64_t>(of_inputs[k]->size()) - 1)
        continue;
      *precisions[k] = expand->precision();
      inputs[k] = inputs[k].node->inputs[0];
    }
    Node* after = only_user(node);
    if (after != nullptr && after->inputs[0].node == &node) {
      const Ints order = transpose_order(*after);
      // The kernel writes whole rows, so the last axis must stay last.
      if (!order.empty() && order.back() == static_cast<int64_t>(order.size()) - 1) {
        orders.output = order;
        last = after;
        changed = true;
      }
    }
    if (!changed) return false;
    auto fused = std::make_shared<FusedAttention>(op->attributes().causal, orders);
    put_in_place(model, *last, remade_as(node, std::move(fused), std::move(inputs)));
    return true;
  });
}

}  // namespace wasmvino::passes
