// SPDX-License-Identifier: Apache-2.0
// A convolution of quantised data by quantised filters, with what stands behind it: bias, residual, function
// and quantisation. Sums are exact.
#pragma once

#include <memory>
#include <optional>

#include "model/node.h"
#include "ops/convolution/convolution_base.h"
#include "ops/internal/residual.h"
#include "ops/quantised_data/quantization.h"

namespace wasmvino::ops {

class IntegerConvolution final : public Op {
 public:
  static constexpr char kFamily = 0;
  bool is_a(const void* family) const override { return family == &kFamily; }
  static constexpr std::string_view kType = "IntegerConvolution";

  struct Parts {
    ConvolutionSpec spec;
    // Channels last, with filters for which takes() is true. A residual has the shape of the output.
    ConvolutionFusion fusion;
    Quantization data;  // by channel only where the convolution is depthwise
    // Of u8 residuals, which are not quantised by channel; others are f32.
    std::optional<Quantization> residual = {};
    // Without it the output is f32.
    std::optional<Quantization> output = {};
  };
  explicit IntegerConvolution(Parts parts) : parts_(std::move(parts)) {}
  const Parts& parts() const { return parts_; }

  // Whether convolutions with such filters can be computed in integers, from data that are quantised by
  // channel or as a whole; depthwise ones have no residual.
  static bool takes(const ConvolutionSpec& spec, const CompressedFilters& filters, bool by_channel,
                    bool residual);

  // Inputs: data of u8, the constant of f32 that the filters stand for, a constant bias [C], a residual.
  // Errors name the operation of the model that this was made from.
  void infer(InferContext& context) const override;
  std::unique_ptr<Kernel> compile(CompileContext& context) const override;
  bool can_overwrite(const CompileContext& context, size_t input, size_t) const override {
    return can_overwrite_residual(context, parts_.fusion.residual, input);
  }

 private:
  Parts parts_;
};

}  // namespace wasmvino::ops
