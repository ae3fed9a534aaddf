// SPDX-License-Identifier: Apache-2.0
// Convolutions and transposed convolutions with any number of groups: inference, and kernels for all element
// types.
#pragma once

#include <memory>

#include "model/op.h"
#include "ops/convolution/windows.h"
#include "ops/internal/activation.h"

namespace wasmvino::ops {

// Layout of filters: [O, I, ...] or, if grouped, [G, O, I, ...]. Transposed convolutions have I and O
// exchanged.
struct FilterForm {
  bool grouped = false;
  bool transposed = false;
  size_t first_spatial() const { return grouped ? 3 : 2; }
};

// The attributes of a convolution.
struct ConvolutionSpec {
  FilterForm form;
  WindowAttributes window;
  Ints output_padding;  // for transposed convolutions only

  void visit(AttributeVisitor& visitor);
};

// What passes have changed about a convolution: the layouts of its data and output, and what else it
// computes.
struct ConvolutionFusion {
  Layout in = Layout::kChannelsFirst, out = Layout::kChannelsFirst;
  // Inputs after data and filters, in this order: the spatial output shape (of transposed convolutions), a
  // bias with one value per channel, and a residual tensor. With a residual, the output is channels last;
  // compile_convolution requires the residual to have the output's shape.
  bool output_shape = false, bias = false, residual = false;
  kernels::UnaryFunction activation;  // applied to sum + bias + residual

  size_t bias_input() const { return output_shape ? 3 : 2; }
  size_t residual_input() const { return bias_input() + (bias ? 1 : 0); }
  size_t input_count() const { return residual_input() + (residual ? 1 : 0); }
  // The rest if another kernel adds the residual and applies the activation.
  ConvolutionFusion product() const { return {in, out, output_shape, bias, false, {}}; }
};

// Sets type and shape of output 0. Throws Error if inputs and attributes do not fit.
void infer_convolution(InferContext& context, const ConvolutionSpec& spec, const ConvolutionFusion& fusion);

// The kernel for a node with such inputs.
std::unique_ptr<Kernel> compile_convolution(CompileContext& context, const ConvolutionSpec& spec,
                                            const ConvolutionFusion& fusion);

// Convolution, GroupConvolution and their transposed forms.
class ConvolutionOp : public Op {
 public:
  static constexpr char kFamily = 0;
  bool is_a(const void* family) const override { return family == &kFamily; }
  explicit ConvolutionOp(FilterForm form) { spec_.form = form; }
  void visit_attributes(AttributeVisitor& visitor) override { spec_.visit(visitor); }
  void infer(InferContext& context) const override;
  std::unique_ptr<Kernel> compile(CompileContext& context) const override;
  InputRange quantised_inputs(const Node&) const override { return {1, 2}; }
  std::optional<ChannelsLastForm> channels_last_form(const Node& node) const override;
  const ConvolutionSpec& spec() const { return spec_; }

 private:
  ConvolutionSpec spec_;
};

}  // namespace wasmvino::ops
