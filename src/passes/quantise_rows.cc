// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/fused_mat_mul.h"
#include "ops/quantised_data/dynamic_mat_mul.h"
#include "passes/edit.h"
#include "passes/passes.h"

namespace wasmvino::passes {

bool quantise_rows(model::Model& model, size_t group) {
  return rewrite_operations(model, [&](model::Node& node) {
    const auto product = ops::as_mat_mul(node);
    if (!product || product->row_group > 0) return false;
    const ops::QuantisedConstant* weights = ops::quantised_of(*node.inputs[1].node);
    if (weights == nullptr || !ops::can_quantise_rows(*weights, product->spec, group)) return false;
    auto op = std::make_shared<ops::FusedMatMul>(product->spec, product->fusion, group);
    replace_with(model, node, remade_as(node, std::move(op), "DynamicMatMul", node.inputs));
    return true;
  });
}

}  // namespace wasmvino::passes
