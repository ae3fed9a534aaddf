// SPDX-License-Identifier: Apache-2.0
// Exact sums of products of u8 data and s8 weights, and the steps applied to them before they are stored.
// Shared by IntegerConvolution and IntegerMatMul.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/conv.h"
#include "model/op.h"
#include "model/quantization.h"

namespace wasmvino::ops {

struct IntegerProduct {
  kernels::Conv conv = {};  // a matmul is a 1x1 convolution whose pixels are its rows
  // Returns the weights of input 1. They are packed once for all kernels with the same `key`. `places`
  // locates the elements in integers().
  std::function<std::vector<int8_t>()> integers;
  kernels::ConvWeights places = {};
  std::string key;
  // The scales of the weights, one per output channel.
  std::vector<double> scales;

  // One scale and zero point for all data or, if the convolution is depthwise, one per channel.
  SharedQuantization data;
  std::optional<size_t> bias_input;  // constant, f32, one element per output channel
  // An input of the output's shape: u8 if `residual` is set, otherwise f32.
  std::optional<size_t> residual_input;
  SharedQuantization residual;
  kernels::UnaryFunction activation;
  // Null, or the slopes of a PRelu after the activation, one per output channel.
  std::shared_ptr<const std::vector<float>> slopes;
  SharedQuantization output;  // if not set, the output is f32

  // Gives the filters a kernel of another size. `tap_of` returns which tap of the present kernel becomes a
  // tap of the new one. If there is no such tap, the weight is 0.
  void set_kernel(const kernels::Extents& kernel,
                  const std::function<kernels::Extents(const kernels::Extents&)>& tap_of);

  // Takes the quantisation of the data and of a residual from the inputs, and the steps after the sums from
  // the parts of an operation.
  template <typename Parts>
  void take(const CompileContext& context, const Parts& parts) {
    data = context.input(0).quantization;
    if (parts.fusion.bias) bias_input = parts.fusion.bias_input();
    if (parts.fusion.residual) {
      residual_input = parts.fusion.residual_input();
      residual = context.input(*residual_input).quantization;
    }
    activation = parts.fusion.activation;
    output = parts.output;
  }
};

// Input 0 has the data. Consumes input 1 and the bias.
std::unique_ptr<Kernel> compile_integer_product(CompileContext& context, IntegerProduct product);

}  // namespace wasmvino::ops
