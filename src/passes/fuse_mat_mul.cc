// SPDX-License-Identifier: Apache-2.0
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
using ops::FusedMatMul;
using ops::MatMulFusion;
using ops::Unary;
using ops::mat_mul::MatMul;

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

}  // namespace

bool fuse_mat_mul(Model& model, const model::Registry&) {
  std::vector<char> taken(model.nodes.size());  // by node
  return rewrite_operations(model, [&](Node& node) {
    const auto* product = op_of<MatMul>(node);
    if (product == nullptr || node.outputs[0].type != ElementType::kF32 || !has_columns(node)) return false;
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
    auto op = std::make_shared<FusedMatMul>(product->attributes(), fusion);
    put_in_place(model, *last, remade_as(node, std::move(op), std::move(inputs)));
    return true;
  });
}

}  // namespace wasmvino::passes
