// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/fused_convolution.h"

#include "ops/internal/residual.h"

namespace wasmvino::ops {

void FusedConvolution::infer(InferContext& context) const {
  try {
    context.expect_inputs(fusion_.input_count());
    if (fusion_.residual) {
      infer_residual(context, FusedConvolution(spec_, fusion_.product()));
    } else {
      infer_convolution(context, spec_, fusion_);
    }
  } catch (Error& error) {
    const Node& node = context.node();
    const std::string_view type = spec_.form.transposed ? spec_.form.grouped ? "GroupConvolutionBackpropData"
                                                                             : "ConvolutionBackpropData"
                                  : spec_.form.grouped  ? "GroupConvolution"
                                                        : "Convolution";
    error.at_layer(node.name, type, node.id, 1, node.line);
    throw;
  }
}

std::unique_ptr<Kernel> FusedConvolution::compile(CompileContext& context) const {
  if (fusion_.residual) {
    const FusedConvolution product(spec_, fusion_.product());
    if (auto kernel = compile_broadcast_residual(context, product, fusion_.activation)) return kernel;
  }
  return compile_convolution(context, spec_, fusion_);
}

std::optional<ChannelsLastForm> FusedConvolution::channels_last_form(const Node& node) const {
  return channels_last_convolution(node);
}

std::shared_ptr<Op> FusedConvolution::with_edge_layouts(EdgeLayouts layouts) const {
  ConvolutionFusion fusion = fusion_;
  fusion.in = layouts.in;
  fusion.out = layouts.out;
  return std::make_shared<FusedConvolution>(spec_, fusion);
}

std::optional<ConvolutionView> as_convolution(const Node& node) {
  if (const auto* fused = op_cast<FusedConvolution>(node.op.get())) {
    return ConvolutionView{fused->spec(), fused->fusion()};
  }
  const auto* plain = op_cast<ConvolutionOp>(node.op.get());
  if (plain == nullptr) return std::nullopt;
  ConvolutionView view = {plain->spec(), {}};
  view.fusion.output_shape = node.inputs.size() == 3;
  return view;
}

std::optional<ChannelsLastForm> channels_last_convolution(const Node& node) {
  std::optional<ConvolutionView> view = as_convolution(node);
  if (!is_real(node.outputs[0].type) || view->fusion.out == Layout::kChannelsLast) return std::nullopt;
  view->fusion.in = view->fusion.out = Layout::kChannelsLast;
  ChannelsLastForm form(node.inputs.size());
  form.take(0);
  form.op = std::make_shared<FusedConvolution>(std::move(view->spec), view->fusion);
  form.type = FusedConvolution::kType;
  form.worth_transposing = true;
  return form;
}

}  // namespace wasmvino::ops
