// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "ops/matrix/mat_mul.h"
#include "ops/quantised_data/quantised_constant.h"
#include "passes/by_channel.h"
#include "passes/constants.h"
#include "passes/edit.h"
#include "passes/passes.h"

namespace wasmvino::passes {
namespace {

using model::Model;
using model::Node;
using model::Source;
using ops::QuantisedConstant;
using ops::mat_mul::MatMul;

using Values = std::vector<float>;

// values *= by, elementwise. Empty values count as all 1.
void multiply(Values& values, const Values& by) {
  if (values.empty()) values.assign(by.size(), 1.0f);
  for (size_t i = 0; i < by.size(); ++i) values[i] *= by[i];
}

// An f32 matmul whose weights, constant or quantised, have no other users.
struct Product {
  const QuantisedConstant* quantised = nullptr;  // nullptr if the weights are not quantised
  ops::MatrixForm form = {};                     // of quantised weights
  bool transpose_b = false;
  size_t k = 0, n = 0;
  size_t depth_axis = 0;  // of the data
};

std::optional<Product> product_of(const Node& node) {
  const auto* op = op_of<MatMul>(node);
  if (op == nullptr || node.outputs[0].type != ElementType::kF32) return std::nullopt;
  const PartialShape& data = shape_of(node.inputs[0]);
  if (!data.has_rank() || data.rank() < 2) return std::nullopt;
  const Node& weights = *node.inputs[1].node;
  if (weights.kind != model::NodeKind::kConstant || weights.constant->type() != ElementType::kF32 ||
      weights.users(0).size() != 1) {
    return std::nullopt;
  }
  const Shape& shape = weights.constant->shape();
  if (shape.size() < 2 || element_count(shape) == 0) return std::nullopt;
  Product product;
  product.depth_axis = data.rank() - (op->attributes().transpose_a ? 2 : 1);
  product.transpose_b = op->attributes().transpose_b;
  const auto size = [&](size_t back) { return static_cast<size_t>(shape[shape.size() - back]); };
  product.k = size(product.transpose_b ? 1 : 2);
  product.n = size(product.transpose_b ? 2 : 1);
  product.quantised = ops::quantised_of(weights);
  if (product.quantised != nullptr) {
    product.form = ops::matrix_form(*product.quantised, !product.transpose_b);
    // Weights without scales need no multiplication yet.
    if (!product.form.has_scales || shape.size() != 2) return std::nullopt;
  }
  return product;
}

// Whether values per row of B can be folded into the weights. Quantised weights have one scale per group, so
// the rows of a group must agree. New scales per column would cost a pass over the dequantised weights, which
// is more than a pass over the data. Existing scales per column can take the values.
bool takes_depth(const Product& product, const Values& depth) {
  if (product.quantised == nullptr || product.form.has_column_scales) return true;
  for (size_t p = 0; p < depth.size(); ++p) {
    if (depth[p] != depth[p / product.form.group * product.form.group]) return false;
  }
  return true;
}

class Folding {
 public:
  Folding(Model& model, const model::Registry& registry) : model_(model), registry_(registry) {}

  bool run() {
    return rewrite_operations(model_, [&](Node& node) {
      const auto product = product_of(node);
      return product && fold(node, *product);
    });
  }

 private:
  bool fold(Node& node, const Product& product) {
    std::vector<Source> inputs = node.inputs;
    Values depth, columns;
    const Node* reader = &node;
    while (only_user(*inputs[0].node) == reader) {
      const auto scaled = scaled_by_channel(*inputs[0].node, product.depth_axis);
      if (!scaled || scaled->values.size() != product.k || !takes_depth(product, scaled->values)) break;
      multiply(depth, scaled->values);
      reader = inputs[0].node;
      inputs[0] = scaled->data;
    }
    // Biases added before a scale are scaled too: (x + b) c = x c + b c.
    const size_t axis = node.outputs[0].shape.rank() - 1;
    Values bias, bias_so_far;
    Node *last = &node, *before = &node;
    while (Node* next = next_of(*before)) {
      if (const auto added = added_by_channel(*next, axis); added && added->data.node == before) {
        bias_so_far.resize(product.n);
        for (size_t j = 0; j < product.n; ++j) bias_so_far[j] += added->values[j];
      } else if (const auto scaled = scaled_by_channel(*next, axis); scaled && scaled->data.node == before) {
        multiply(columns, scaled->values);
        if (!bias_so_far.empty()) multiply(bias_so_far, scaled->values);
        bias = bias_so_far;
        last = next;
      } else {
        break;
      }
      before = next;
    }
    if (depth.empty() && columns.empty()) return false;
    inputs[1] = scaled(product, *inputs[1].node, columns, depth);
    auto made = remade(node, node.op, std::move(inputs));
    if (bias.empty()) {
      put_in_place(model_, *last, std::move(made));
    } else {
      const Source added = add_floats(model_, last->name + "/bias", {static_cast<int64_t>(product.n)}, bias);
      replace_with(model_, *last,
                   registry_.make_node("Add", last->name, {{model_.add(std::move(made)), 0}, added}));
    }
    return true;
  }

  Source scaled(const Product& product, const Node& weights, const Values& columns, const Values& depth) {
    if (product.quantised != nullptr) {
      const size_t n_axis = product.transpose_b ? 0 : 1;
      QuantisedConstant value = *product.quantised;
      if (!columns.empty()) value = value.scaled({n_axis}, columns);
      const size_t run = product.form.has_column_scales ? 1 : product.form.group;
      if (!depth.empty()) value = value.scaled({1 - n_axis}, depth, run);
      return {model_.add(ops::quantised_constant(weights.name, std::move(value))), 0};
    }
    Source source = {const_cast<Node*>(&weights), 0};
    const size_t by_column = product.transpose_b ? product.k : 1,
                 by_row = product.transpose_b ? 1 : product.n;
    if (!columns.empty()) source = add_scaled(model_, *source.node, columns, by_column);
    if (!depth.empty()) source = add_scaled(model_, *source.node, depth, by_row);
    return source;
  }

  Model& model_;
  const model::Registry& registry_;
};

}  // namespace

bool fold_scales(Model& model, const model::Registry& registry) { return Folding(model, registry).run(); }

}  // namespace wasmvino::passes
