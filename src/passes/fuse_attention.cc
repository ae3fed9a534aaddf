// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ops/activation/softmax.h"
#include "ops/matrix/mat_mul.h"
#include "ops/movement/transpose.h"
#include "ops/sequence/scaled_dot_product_attention.h"
#include "passes/match.h"
#include "passes/passes.h"

namespace wasmvino::passes {
namespace {

using model::Model;
using model::Node;
using model::Source;
using ops::mat_mul::MatMul;
using ops::scaled_dot_product_attention::ScaledDotProductAttention;
using ops::softmax::Softmax;
using ops::transpose::Transpose;

// softmax(query key^T scale + mask) value
struct Attention {
  Source query, key, value;
  Source mask;  // none if its node is null
  float scale = 1.0f;
  bool key_transposed = false;  // [.., E, S] instead of [.., S, E]
};

// Whether an axis of `size` certainly keeps its size when it is broadcast with an axis of `by`.
bool keeps(Dimension size, Dimension by) {
  return by == Dimension(1) || (size.is_static() && (size == by || size.size() != 1));
}

class Fusion {
 public:
  Fusion(Model& model, const model::Registry& registry) : model_(model), registry_(registry) {}

  bool run() {
    return rewrite_operations(model_, [&](Node& node) {
      const auto found = find(node);
      if (found) replace(node, *found);
      return found.has_value();
    });
  }

 private:
  // The node that computes the value, if it is of this type and has one user; otherwise nullptr.
  Node* made_for_one(Source source, std::string_view type) const {
    Node* node = made_by(source, type);
    return node != nullptr && only_user(*node) != nullptr ? node : nullptr;
  }

  // Removes multiplications and divisions by a number from a value and collects them in `scale`.
  Source unscaled(Source source, float& scale) const {
    while (only_user(*source.node) != nullptr) {
      if (const auto product = with_number(source, "Multiply")) {
        scale *= product->number;
        source = product->data;
      } else if (const auto quotient = with_number(source, "Divide")) {
        scale /= quotient->number;
        source = quotient->data;
      } else {
        break;
      }
    }
    return source;
  }

  std::optional<Attention> find(const Node& node) const {
    const auto* product = op_of<MatMul>(node);
    if (product == nullptr || node.outputs[0].type != ElementType::kF32) return std::nullopt;
    const Node* softmax = made_for_one(node.inputs[0], Softmax::kType);
    if (softmax == nullptr || product->attributes().transpose_a || product->attributes().transpose_b)
      return std::nullopt;
    const PartialShape& weights = shape_of(node.inputs[0]);
    const PartialShape& values = shape_of(node.inputs[1]);
    if (!weights.has_rank() || !values.has_rank() || weights.rank() < 3 || values.rank() < 3)
      return std::nullopt;
    const int64_t axis = op_of<ops::SoftmaxOp>(*softmax)->attributes().axis;
    if (axis != -1 && axis != static_cast<int64_t>(weights.rank()) - 1) return std::nullopt;

    Attention attention;
    attention.value = node.inputs[1];
    if (const auto found = products(softmax->inputs[0], attention)) return found;
    const Node* sum = made_for_one(softmax->inputs[0], "Add");
    if (sum == nullptr) return std::nullopt;
    for (size_t i = 0; i < 2; ++i) {
      attention.mask = sum->inputs[1 - i];
      const auto found = products(sum->inputs[i], attention);
      if (found && mask_fits(shape_of(sum->inputs[i]), shape_of(attention.mask))) return found;
    }
    return std::nullopt;
  }

  // Query and key, if a value is their matmul times a scale.
  std::optional<Attention> products(Source source, Attention attention) const {
    const Node* product = made_for_one(unscaled(source, attention.scale), MatMul::kType);
    if (product == nullptr || op_of<MatMul>(*product)->attributes().transpose_a) return std::nullopt;
    attention.key_transposed = !op_of<MatMul>(*product)->attributes().transpose_b;
    attention.query = unscaled(product->inputs[0], attention.scale);
    attention.key = unscaled(product->inputs[1], attention.scale);
    for (const Source source : {attention.query, attention.key}) {
      const PartialShape& shape = shape_of(source);
      if (!shape.has_rank() || shape.rank() < 3) return std::nullopt;
    }
    // replace() transposes such a key back by changing the Transpose that makes it. Without one, nothing is
    // fused.
    if (attention.key_transposed && transpose_order(*attention.key.node).empty()) return std::nullopt;
    return attention;
  }

  // Whether the mask can broadcast only the batch axes of the scores, whatever the sizes of dynamic
  // dimensions.
  static bool mask_fits(const PartialShape& scores, const PartialShape& mask) {
    if (!scores.has_rank() || !mask.has_rank() || mask.rank() < 2 || mask.rank() > scores.rank())
      return false;
    for (size_t back = 1; back <= 2; ++back) {
      if (!keeps(scores[scores.rank() - back], mask[mask.rank() - back])) return false;
    }
    return true;
  }

  void replace(Node& node, const Attention& attention) {
    Source key = attention.key;
    if (attention.key_transposed) {
      Ints order = transpose_order(*key.node);
      std::swap(order[order.size() - 1], order[order.size() - 2]);
      const Node& transpose = *key.node;
      Node* turned = model_.add(
          registry_.make_node(Transpose::kType, transpose.name,
                              {transpose.inputs[0], model_.add_ints(transpose.name + "/order", order)}));
      turned->outputs[0] = transpose.outputs[0];
      PartialShape& shape = turned->outputs[0].shape;
      std::swap(shape[shape.rank() - 1], shape[shape.rank() - 2]);
      key = {turned, 0};
    }
    Source mask = attention.mask;
    if (mask.node == nullptr) mask = add_floats(model_, node.name + "/mask", {}, {0.0f});
    const Source scale = add_floats(model_, node.name + "/scale", {}, {attention.scale});
    auto made = registry_.make_node<ScaledDotProductAttention>(
        node.name, {attention.query, key, attention.value, mask, scale}, {.causal = false});
    replace_with(model_, node, std::move(made));
  }

  Model& model_;
  const model::Registry& registry_;
};

}  // namespace

bool fuse_attention(Model& model, const model::Registry& registry) { return Fusion(model, registry).run(); }

}  // namespace wasmvino::passes
