// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/fused_mat_mul.h"

#include "ops/internal/residual.h"

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
    const FusedMatMul product(spec_, fusion_.product());
    if (auto kernel = compile_broadcast_residual(context, product, fusion_.activation)) return kernel;
  }
  return compile_mat_mul(context, spec_, fusion_);
}

}  // namespace wasmvino::ops
