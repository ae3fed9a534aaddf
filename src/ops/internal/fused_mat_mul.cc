// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/fused_mat_mul.h"

#include "ops/internal/residual.h"
#include "ops/matrix/mat_mul.h"
#include "ops/quantised_data/dynamic_mat_mul.h"

namespace wasmvino::ops {

void FusedMatMul::infer(InferContext& context) const {
  try {
    context.expect_inputs(fusion_.input_count());
    if (fusion_.residual) {
      infer_residual(context, FusedMatMul(spec_, fusion_.product()));
    } else {
      infer_mat_mul(context, spec_);
    }
  } catch (Error& error) {
    const Node& node = context.node();
    error.at_layer(node.name, "MatMul", node.id, 1, node.line);
    throw;
  }
}

std::unique_ptr<Kernel> FusedMatMul::compile(CompileContext& context) const {
  if (fusion_.residual) {
    const FusedMatMul product(spec_, fusion_.product(), row_group_);
    if (auto kernel = compile_broadcast_residual(context, product, fusion_.activation)) return kernel;
  }
  if (row_group_ > 0) return compile_dynamic_mat_mul(context, spec_, row_group_, fusion_);
  return compile_mat_mul(context, spec_, fusion_);
}

std::optional<MatMulView> as_mat_mul(const Node& node) {
  if (const auto* fused = op_cast<FusedMatMul>(node.op.get()))
    return MatMulView{fused->spec(), fused->fusion(), fused->row_group()};
  if (const auto* plain = op_cast<mat_mul::MatMul>(node.op.get())) return MatMulView{plain->attributes()};
  return std::nullopt;
}

}  // namespace wasmvino::ops
