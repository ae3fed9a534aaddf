// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/fused_mat_mul.h"

namespace wasmvino::ops {

void FusedMatMul::infer(InferContext& context) const {
  try {
    context.expect_inputs(fusion_.input_count());
    infer_mat_mul(context, spec_);
  } catch (Error& error) {
    const Node& node = context.node();
    error.at_layer(node.name, "MatMul", node.id, 1, node.line);
    throw;
  }
}

}  // namespace wasmvino::ops
