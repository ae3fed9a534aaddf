// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/fused_convolution.h"
#include "passes/by_channel.h"
#include "passes/edit.h"
#include "passes/elementwise.h"
#include "passes/passes.h"

namespace wasmvino::passes {
namespace {

using model::Model;
using model::Node;
using model::Source;
using ops::ConvolutionView;
using ops::FusedConvolution;
using ops::Unary;
using ops::UnaryFunction;

// Fuses `next` if it adds one value per channel to `last`, or subtracts it.
bool take_bias(Model& model, const Node& next, const Node& last, ConvolutionView& view,
               std::vector<Source>& inputs) {
  ops::ConvolutionFusion& fusion = view.fusion;
  const PartialShape& shape = last.outputs[0].shape;
  if (fusion.activation.kind != Unary::kIdentity || fusion.residual || !shape.has_rank()) return false;
  const size_t at = fusion.bias_input();
  Source bias = fusion.bias ? inputs[at] : Source{};
  if (!add_bias(model, next, last, fusion.out == ops::Layout::kChannelsFirst ? 1 : shape.rank() - 1, bias))
    return false;
  if (!fusion.bias) inputs.insert(inputs.begin() + static_cast<ptrdiff_t>(at), Source{});
  inputs[at] = bias;
  return fusion.bias = true;
}

bool apply(const Node& next, const Node& last, ConvolutionView& view) {
  if (view.fusion.activation.kind != Unary::kIdentity || next.inputs[0].node != &last) return false;
  const std::optional<UnaryFunction> function = unary_function_of(next);
  if (!function) return false;
  view.fusion.activation = *function;
  return true;
}

}  // namespace

bool fuse_bias_activation(Model& model, const model::Registry&) {
  return rewrite_operations(model, [&](Node& node) {
    auto view = ops::as_convolution(node);
    if (!view || node.outputs[0].type != ElementType::kF32) return false;
    // Fuses the nodes after the convolution into it, as long as they fit.
    std::vector<Source> inputs = node.inputs;
    Node* last = &node;
    while (Node* next = next_of(*last)) {
      if (!take_bias(model, *next, *last, *view, inputs) && !apply(*next, *last, *view)) break;
      last = next;
    }
    if (last == &node) return false;
    auto op = std::make_shared<FusedConvolution>(view->spec, view->fusion);
    put_in_place(model, *last, remade_as(node, std::move(op), std::move(inputs)));
    return true;
  });
}

}  // namespace wasmvino::passes
