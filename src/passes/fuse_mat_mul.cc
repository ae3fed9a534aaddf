// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/compressed_mat_mul.h"
#include "ops/internal/fused_mat_mul.h"
#include "passes/edit.h"
#include "passes/passes.h"

namespace wasmvino::passes {
namespace {

using kernels::Unary;
using model::Model;
using model::Node;
using model::Source;
using ops::CompressedMatMul;
using ops::FusedMatMul;
using ops::MatMulFusion;

class Fusion {
 public:
  explicit Fusion(Model& model) : model_(model), readers_(model), taken_(model.nodes.size()) {}

  bool run() {
    const size_t count = model_.nodes.size();
    for (size_t i = 0; i < count; ++i) {
      Node& node = *model_.nodes[i];
      if (is_product(node) && node.outputs[0].type == ElementType::kF32 && has_columns(node)) extend(node);
    }
    return changed_;
  }

 private:
  // A MatMul, its weights compressed or not, that nothing is fused into.
  static bool is_product(const Node& node) {
    const auto* compressed = model::op_cast<CompressedMatMul>(node.op.get());
    if (compressed == nullptr) return node.type == "MatMul";
    const MatMulFusion& fusion = compressed->fusion();
    return !fusion.bias && !fusion.residual && fusion.activation.kind == Unary::kIdentity;
  }

  // Whether the last axis of the product is that of its columns.
  static bool has_columns(const Node& node) {
    for (size_t i = 0; i < 2; ++i) {
      const PartialShape& shape = node.inputs[i].node->outputs[node.inputs[i].port].shape;
      if (!shape.has_rank() || shape.rank() < 2) return false;
    }
    return true;
  }

  // Takes what follows into the product, as long as something fits.
  void extend(Node& node) {
    MatMulFusion fusion;
    Source bias, residual;
    Node* last = &node;
    while (Node* next = readers_.only(*last)) {
      if (next->kind != model::NodeKind::kOperation || next->outputs.size() != 1 || taken_[next->index])
        break;
      if (fusion.activation.kind != Unary::kIdentity || next->outputs[0].type != ElementType::kF32) break;
      if (!add_bias(*next, *last, fusion, bias) && !add_residual(*next, *last, fusion, residual) &&
          !apply(*next, *last, fusion)) {
        break;
      }
      last = next;
      taken_[next->index] = 1;
    }
    if (last == &node) return;
    std::vector<Source> inputs = node.inputs;
    if (fusion.bias) inputs.push_back(bias);
    if (fusion.residual) inputs.push_back(residual);
    std::shared_ptr<model::Op> op;
    if (const auto* compressed = model::op_cast<CompressedMatMul>(node.op.get())) {
      op = std::make_shared<CompressedMatMul>(compressed->form(), fusion);
    } else {
      op = std::make_shared<FusedMatMul>(ops::MatMulSpec{attribute_of(node, "transpose_a") == "true",
                                                         attribute_of(node, "transpose_b") == "true"},
                                         fusion);
    }
    auto made = remade(node, std::move(op), std::move(inputs));
    if (node.type == "MatMul") made->type = FusedMatMul::kType;
    made->version = 0;
    made->outputs[0] = last->outputs[0];
    model_.replace_uses({last, 0}, {model_.add(std::move(made)), 0});
    changed_ = true;
  }

  // `next` adds one value a column to `last`, or subtracts it.
  bool add_bias(const Node& next, const Node& last, MatMulFusion& fusion, Source& bias) {
    const bool adds = next.type == "Add", subtracts = next.type == "Subtract" && next.inputs[0].node == &last;
    if ((!adds && !subtracts) || attribute_of(next, "auto_broadcast") != "numpy") return false;
    const PartialShape& shape = last.outputs[0].shape;
    const Dimension columns = shape[shape.rank() - 1];
    if (!columns.is_static()) return false;
    const Source added = other_input(next, last);
    auto values =
        values_by_channel(added, shape.rank(), shape.rank() - 1, static_cast<size_t>(columns.size()));
    if (!values) return false;
    const float* before = fusion.bias ? constant_of(bias)->data<float>() : nullptr;
    for (size_t c = 0; c < values->size(); ++c) {
      const float value = subtracts ? -(*values)[c] : (*values)[c];
      (*values)[c] = before != nullptr ? before[c] + value : value;
    }
    bias = add_floats(model_, added.node->name, {columns.size()}, *values);
    fusion.bias = true;
    return true;
  }

  // `next` adds a tensor of the same static shape. Sizes that may still differ could be broadcast.
  static bool add_residual(const Node& next, const Node& last, MatMulFusion& fusion, Source& residual) {
    if (next.type != "Add" || fusion.residual) return false;
    const Source added = other_input(next, last);
    const PartialShape& shape = last.outputs[0].shape;
    if (!shape.is_static() || !(added.node->outputs[added.port].shape == shape)) return false;
    residual = added;
    return fusion.residual = true;
  }

  static bool apply(const Node& next, const Node& last, MatMulFusion& fusion) {
    if (next.inputs[0].node != &last) return false;
    const std::optional<kernels::UnaryFunction> function = unary_function_of(next);
    if (!function) return false;
    fusion.activation = *function;
    return true;
  }

  Model& model_;
  Readers readers_;
  std::vector<char> taken_;  // by node
  bool changed_ = false;
};

}  // namespace

bool fuse_mat_mul(Model& model, const model::Registry&) { return Fusion(model).run(); }

}  // namespace wasmvino::passes
