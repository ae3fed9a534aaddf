// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "ops/matrix/mat_mul.h"
#include "ops/movement/transpose.h"
#include "passes/edit.h"
#include "passes/passes.h"
#include "passes/quantised_chain.h"

namespace wasmvino::passes {
namespace {

using model::Model;
using model::Node;
using model::NodeKind;
using model::Source;
using ops::QuantisedConstant;
using ops::mat_mul::MatMul;

class Keeping {
 public:
  Keeping(Model& model, const model::Registry& registry) : model_(model), registry_(registry) {}

  bool run() {
    for (const auto& node : model_.nodes) find(*node);
    drop_those_read_elsewhere();
    for (const Use& use : uses_) use.node->inputs.set(use.input, constant(use.node->inputs[use.input]));
    const bool changed = !uses_.empty();
    for (const Use& use : uses_) put_weights_on_the_right(*use.node);
    return changed;
  }

 private:
  // An input whose operation also accepts the quantised form.
  struct Use {
    Node* node;
    size_t input;
  };
  // A value, traced once for all its users.
  struct Value {
    std::vector<const Node*> chain;
    std::optional<QuantisedConstant> constant;  // nullopt: the value is not quantised
    Source made = {};
  };

  void find(Node& node) {
    if (node.kind != NodeKind::kOperation) return;
    const model::InputRange inputs = node.op->quantised_inputs(node);
    for (size_t i = inputs.first; i < inputs.last; ++i) {
      if (value_of(node.inputs[i]).constant) uses_.push_back({&node, i});
    }
  }

  Value& value_of(Source source) {
    const auto [found, is_new] = values_.try_emplace(source);
    Value& value = found->second;
    if (!is_new) return value;
    if (auto chain = trace_quantised(source)) {
      QuantisedConstant constant(shape_of(source).to_shape(), std::move(chain->parts));
      if (!constant.has_packable_zero_points()) return value;
      value.constant = std::move(constant);
      value.chain = std::move(chain->nodes);
    }
    return value;
  }

  // Drops uses of values that have other users, or whose chain has. The value is computed for those users
  // anyway, and the result serves all users.
  void drop_those_read_elsewhere() {
    for (bool changed = true; changed;) {
      std::vector<char> accepted(model_.nodes.size()), elsewhere(model_.nodes.size());  // by node
      for (const Use& use : uses_) {
        accepted[use.node->index] = 1;
        for (const Node* node : value_of(use.node->inputs[use.input]).chain) accepted[node->index] = 1;
      }
      for (const auto& node : model_.nodes) {
        if (accepted[node->index]) continue;
        for (const Source& source : node->inputs) elsewhere[source.node->index] = 1;
      }
      const size_t before = uses_.size();
      std::erase_if(uses_, [&](const Use& use) {
        const std::vector<const Node*>& chain = value_of(use.node->inputs[use.input]).chain;
        return std::any_of(chain.begin(), chain.end(),
                           [&](const Node* node) { return elsewhere[node->index]; });
      });
      changed = uses_.size() != before;
    }
  }

  // The constant for a value. Values that are computed twice in the same way share it, and so do the packed
  // forms.
  Source constant(Source source) {
    Value& value = value_of(source);
    if (value.made.node != nullptr) return value.made;
    std::vector<Node*>& alike = made_[value.constant->parts().stored.get()];
    for (Node* node : alike) {
      if (ops::quantised_of(*node)->equals(*value.constant)) return value.made = {node, 0};
    }
    alike.push_back(model_.add(ops::quantised_constant(source.node->name, *value.constant)));
    return value.made = {alike.back(), 0};
  }

  // A matmul packs its right matrices only. A B is computed as (B^T A^T)^T.
  void put_weights_on_the_right(Node& node) {
    const auto* op = op_of<MatMul>(node);
    if (op == nullptr || node.inputs.empty() || ops::quantised_of(*node.inputs[0].node) == nullptr) return;
    const auto [transpose_a, transpose_b] = op->attributes();
    const Source weights = node.inputs[0], data = node.inputs[1];
    if (shape_of(weights).rank() < 2) return;  // the product of a vector has no axis for its rows
    if (is_constant(data) || !fits_for_sure(shape_of(data), transpose_b, shape_of(weights).rank())) return;
    auto product = registry_.make_node<MatMul>(node.name, {data, weights}, {!transpose_b, !transpose_a});
    product->id = node.id;
    product->line = node.line;
    product->outputs = node.outputs;
    PartialShape& shape = product->outputs[0].shape;
    Ints order(shape.rank());
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[order.size() - 1], order[order.size() - 2]);
    std::swap(shape[order.size() - 1], shape[order.size() - 2]);
    product->outputs[0].names.clear();
    const Source turned = {model_.add(std::move(product)), 0};
    replace_with(model_, node,
                 registry_.make_node(ops::transpose::Transpose::kType, node.name + "/transposed",
                                     {turned, model_.add_ints(node.name + "/order", order)}));
  }

  // Whether every possible shape of `data` is valid. Otherwise an error would name the inputs in the wrong
  // order.
  static bool fits_for_sure(const PartialShape& data, bool transposed, size_t weights_rank) {
    if (!data.has_rank() || data.rank() < 2) return false;
    bool fits = data[data.rank() - (transposed ? 1 : 2)].is_static();
    for (size_t axis = 0; axis + 2 < data.rank(); ++axis)
      fits = fits && (weights_rank == 2 || data[axis].is_static());
    return fits;
  }

  Model& model_;
  const model::Registry& registry_;
  std::unordered_map<Source, Value, SourceHash> values_;
  std::vector<Use> uses_;
  std::unordered_map<const model::ConstantData*, std::vector<Node*>> made_;  // by stored data
};

}  // namespace

bool keep_quantised_constants(Model& model, const model::Registry& registry) {
  return Keeping(model, registry).run();
}

}  // namespace wasmvino::passes
