// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/fused_convolution.h"
#include "passes/edit.h"
#include "passes/elementwise.h"
#include "passes/passes.h"

namespace wasmvino::passes {
namespace {

using model::Model;
using model::Node;
using model::Source;
using ops::FusedConvolution;
using ops::Unary;

// A convolution that can still take a residual.
const FusedConvolution* open_convolution(Source source) {
  const auto* op = op_of<FusedConvolution>(*source.node);
  if (op == nullptr || source.node->outputs[0].type != ElementType::kF32) return nullptr;
  const ops::ConvolutionFusion& fusion = op->fusion();
  const bool open = !fusion.residual && fusion.activation.kind == Unary::kIdentity;
  return open && fusion.out == ops::Layout::kChannelsLast ? op : nullptr;
}

}  // namespace

bool fuse_residual(Model& model, const model::Registry&) {
  return rewrite_operations(model, [&](Node& node) {
    if (!is_sum_of_likes(node)) return false;
    // If both are convolutions, choose the later one, because the other is computed before it. The sum must
    // be its only user, so the other convolution does not depend on it.
    Source late = node.inputs[0], other = node.inputs[1];
    const auto fits = [&](Source source) {
      return open_convolution(source) != nullptr && only_user(*source.node) == &node;
    };
    if (!fits(late) || (fits(other) && other.node->index > late.node->index)) std::swap(late, other);
    if (!fits(late) || late == other) return false;
    const FusedConvolution& op = *open_convolution(late);
    ops::ConvolutionFusion fusion = op.fusion();
    fusion.residual = true;
    std::vector<Source> inputs = late.node->inputs;
    inputs.push_back(other);
    put_in_place(
        model, node,
        remade(*late.node, std::make_shared<FusedConvolution>(op.spec(), fusion), std::move(inputs)));
    return true;
  });
}

}  // namespace wasmvino::passes
