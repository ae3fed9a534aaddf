// SPDX-License-Identifier: Apache-2.0
// A convolution of quantised data and quantised filters, with the operations after it: bias, residual,
// activation and quantisation. Sums are exact.
#pragma once

#include <memory>
#include <vector>

#include "ops/convolution/convolution_base.h"
#include "ops/internal/integer_op.h"
#include "ops/internal/residual.h"
#include "ops/quantised_data/quantised_constant.h"

namespace wasmvino::ops {

struct IntegerConvolutionParts {
  ConvolutionSpec spec;
  // Channels last, with filters for which takes() is true. A residual has the shape of the output. Only if
  // residual and output are f32, may one be broadcast.
  ConvolutionFusion fusion;
  // If present, a PRelu with one slope per output channel is applied after the activation.
  std::shared_ptr<const std::vector<float>> slopes = nullptr;
  SharedQuantization output = nullptr;  // if absent, the output is f32
};

class IntegerConvolution final : public IntegerOpWithParts<IntegerConvolution, IntegerConvolutionParts> {
 public:
  using IntegerOpWithParts::IntegerOpWithParts;
  static constexpr std::string_view kType = "IntegerConvolution";

  // Whether convolutions with such filters can be computed in integers, from data quantised by channel or as
  // a whole. Depthwise convolutions must have no residual.
  static bool takes(const ConvolutionSpec& spec, const QuantisedConstant& filters, bool by_channel,
                    bool residual);

  bool can_store(const Node& node, const Quantization&) const {
    return !ops::may_broadcast(node, parts_.fusion);
  }

  // Inputs: u8 data, which are quantised by channel only if the convolution is depthwise, quantised filters,
  // a constant bias [C], a residual in f32 or in u8, which is not quantised by channel. Errors name the
  // original operation of the model.
  void infer(InferContext& context) const override;
  std::unique_ptr<Kernel> compile(CompileContext& context) const override;
  bool can_overwrite(const CompileContext& context, size_t input, size_t) const override {
    return can_overwrite_residual(context, parts_.fusion.residual, input);
  }

 private:
  template <typename Context>
  bool may_broadcast(const Context& context) const {
    return parts_.fusion.residual && parts_.output == nullptr && parts_.slopes == nullptr &&
           context.input_type(parts_.fusion.residual_input()) == ElementType::kF32;
  }
};

}  // namespace wasmvino::ops
