// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/compressed_mat_mul.h"
#include "ops/quantised_data/dynamic_mat_mul.h"
#include "passes/edit.h"
#include "passes/passes.h"

namespace wasmvino::passes {

bool quantise_rows(model::Model& model, size_t group) {
  return rewrite_operations(model, [&](model::Node& node) {
    const auto* product = op_of<ops::CompressedMatMul>(node);
    if (product == nullptr || product->transpose_a() || product->row_group() > 0) return false;
    if (!ops::can_quantise_rows(product->form(), port_of(node.inputs[1]).type, group)) return false;
    auto op = std::make_shared<ops::CompressedMatMul>(product->form(), false, product->fusion(), group);
    replace_with(model, node, remade_as(node, std::move(op), "DynamicMatMul", node.inputs));
    return true;
  });
}

}  // namespace wasmvino::passes
