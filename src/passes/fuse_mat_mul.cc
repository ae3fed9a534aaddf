// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/compressed_mat_mul.h"
#include "ops/internal/fused_mat_mul.h"
#include "ops/matrix/mat_mul.h"
#include "passes/by_channel.h"
#include "passes/edit.h"
#include "passes/elementwise.h"
#include "passes/passes.h"

namespace wasmvino::passes {
namespace {

using model::Model;
using model::Node;
using model::Source;
using ops::CompressedMatMul;
using ops::FusedMatMul;
using ops::MatMulFusion;
using ops::Unary;
using ops::mat_mul::MatMul;

// A MatMul, quantised or not, without fused operations.
bool is_product(const Node& node) {
  const auto* compressed = op_of<CompressedMatMul>(node);
  return compressed != nullptr ? compressed->fusion().empty() : op_of<MatMul>(node) != nullptr;
}

// Whether the last axis of the result is the axis of columns.
bool has_columns(const Node& node) {
  for (size_t i = 0; i < 2; ++i) {
    const PartialShape& shape = shape_of(node.inputs[i]);
    if (!shape.has_rank() || shape.rank() < 2) return false;
  }
  return true;
}

bool add_residual(const Node& next, const Node& last, MatMulFusion& fusion, Source& residual) {
  if (fusion.residual || !is_sum_of_likes(next)) return false;
  residual = other_input(next, last);
  return fusion.residual = true;
}

bool apply(const Node& next, const Node& last, MatMulFusion& fusion) {
  if (next.inputs[0].node != &last) return false;
  const std::optional<ops::UnaryFunction> function = unary_function_of(next);
  if (!function) return false;
  fusion.activation = *function;
  return true;
}

std::shared_ptr<model::Op> fused_op(const Node& node, const MatMulFusion& fusion) {
  if (const auto* compressed = op_of<CompressedMatMul>(node))
    return std::make_shared<CompressedMatMul>(compressed->form(), compressed->transpose_a(), fusion);
  return std::make_shared<FusedMatMul>(op_of<MatMul>(node)->attributes(), fusion);
}

}  // namespace

bool fuse_mat_mul(Model& model, const model::Registry&) {
  std::vector<char> taken(model.nodes.size());  // by node
  return rewrite_operations(model, [&](Node& node) {
    if (!is_product(node) || node.outputs[0].type != ElementType::kF32 || !has_columns(node)) return false;
    // Fuses the nodes after the matmul into it, as long as they fit.
    MatMulFusion fusion;
    Source bias, residual;
    Node* last = &node;
    while (Node* next = next_of(*last)) {
      if (taken[next->index] || fusion.activation.kind != Unary::kIdentity) break;
      const size_t columns = last->outputs[0].shape.rank() - 1;
      if (!add_bias(model, *next, *last, columns, bias) && !add_residual(*next, *last, fusion, residual) &&
          !apply(*next, *last, fusion)) {
        break;
      }
      last = next;
      taken[next->index] = 1;
    }
    if (last == &node) return false;
    std::vector<Source> inputs = node.inputs;
    fusion.bias = bias.node != nullptr;
    if (fusion.bias) inputs.push_back(bias);
    if (fusion.residual) inputs.push_back(residual);
    auto made = remade(node, fused_op(node, fusion), std::move(inputs));
    if (op_of<MatMul>(node) != nullptr) made->type = FusedMatMul::kType;
    made->version = 0;
    put_in_place(model, *last, std::move(made));
    return true;
  });
}

}  // namespace wasmvino::passes
