// SPDX-License-Identifier: Apache-2.0
// A convolution of any kind (transposed or not, grouped or not) that also adds a bias and a residual and
// applies an activation. Data and output may be channels last. Made by passes.
#pragma once

#include <memory>
#include <optional>

#include "model/node.h"
#include "ops/convolution/convolution_base.h"
#include "ops/internal/residual.h"

namespace wasmvino::ops {

class FusedConvolution final : public Op {
 public:
  static constexpr char kFamily = 0;
  bool is_a(const void* family) const override { return family == &kFamily; }
  static constexpr std::string_view kType = "FusedConvolution";

  FusedConvolution(ConvolutionSpec spec, ConvolutionFusion fusion)
      : spec_(std::move(spec)), fusion_(fusion) {}

  const ConvolutionSpec& spec() const { return spec_; }
  const ConvolutionFusion& fusion() const { return fusion_; }

  // Inputs: data, filters, then those that the fusion lists: output_shape, bias [C], a residual. The sum over
  // the filters and the residual are broadcast to each other by numpy's rule. Errors name the original
  // operation of the model.
  void infer(InferContext& context) const override;
  std::unique_ptr<Kernel> compile(CompileContext& context) const override;
  std::optional<ChannelsLastForm> channels_last_form(const Node& node) const override;
  std::optional<EdgeLayouts> edge_layouts() const override { return EdgeLayouts{fusion_.in, fusion_.out}; }
  std::shared_ptr<Op> with_edge_layouts(EdgeLayouts layouts) const override;
  bool can_overwrite(const CompileContext& context, size_t input, size_t) const override {
    return can_overwrite_residual(context, fusion_.residual, input);
  }

 private:
  ConvolutionSpec spec_;
  ConvolutionFusion fusion_;
};

// The convolution that a node computes, either as in the model or as rewritten by passes; nullopt for other
// nodes.
struct ConvolutionView {
  ConvolutionSpec spec;
  ConvolutionFusion fusion;
};
std::optional<ConvolutionView> as_convolution(const Node& node);

// The form of such a node on channels-last data.
std::optional<ChannelsLastForm> channels_last_convolution(const Node& node);

}  // namespace wasmvino::ops
