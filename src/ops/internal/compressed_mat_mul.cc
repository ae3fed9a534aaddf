// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/compressed_mat_mul.h"

#include "model/node.h"
#include "ops/internal/residual.h"
#include "ops/quantised_data/dynamic_mat_mul.h"

namespace wasmvino::ops {

void CompressedMatMul::infer(InferContext& context) const {
  try {
    if (fusion_.residual) {
      return infer_residual(context, CompressedMatMul(form_, transpose_a_, fusion_.product()));
    }
    const PartialShape& data = context.input_shape(0);
    context.set_output(0, ElementType::kF32,
                       data.has_rank() ? mat_mul_shape(data, form_.transposed_shape(), {transpose_a_, false})
                                       : PartialShape());
  } catch (Error& error) {
    const Node& node = context.node();
    error.at_layer(node.name, "MatMul", node.id, 1, node.line);
    throw;
  }
}

std::unique_ptr<Kernel> CompressedMatMul::compile(CompileContext& context) const {
  if (fusion_.residual) {
    const CompressedMatMul product(form_, transpose_a_, fusion_.product(), row_group_);
    if (auto kernel = compile_broadcast_residual(context, product, fusion_.activation)) return kernel;
  }
  if (row_group_ > 0) return compile_dynamic_mat_mul(context, form_, row_group_, fusion_);
  return compile_mat_mul(context, form_, transpose_a_, fusion_);
}

}  // namespace wasmvino::ops
