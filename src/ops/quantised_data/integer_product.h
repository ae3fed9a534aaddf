// SPDX-License-Identifier: Apache-2.0
// Sums of products of u8 data and s8 weights, exact, and what becomes of them before they are stored: what
// IntegerConvolution and IntegerMatMul share.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/conv.h"
#include "model/op.h"
#include "ops/quantised_data/quantization.h"

namespace wasmvino::ops {

struct IntegerProduct {
  kernels::Conv conv = {};  // a matmul is a 1x1 convolution of its rows
  // Input 1 is what weights are packed from, once for all kernels of the same `key`. An element lies in
  // integers() where `places` has it.
  std::function<std::vector<int8_t>()> integers;
  kernels::ConvWeights places = {};
  std::string key;
  // One per output channel: of the weights alone.
  std::vector<double> scales;

  // As a whole, or by channel where the convolution is depthwise.
  Quantization data;
  std::optional<size_t> bias_input;  // constant, f32, one element per output channel
  // An input of the output's shape: u8 where `residual` says what it stands for, else f32.
  std::optional<size_t> residual_input;
  std::optional<Quantization> residual;
  kernels::UnaryFunction activation;
  std::optional<Quantization> output;  // without it the output is f32

  // Takes what stands behind the sums, and what the data are, from the parts of an operation.
  template <typename Parts>
  void take(const Parts& parts) {
    data = parts.data;
    if (parts.fusion.bias) bias_input = parts.fusion.bias_input();
    if (parts.fusion.residual) residual_input = parts.fusion.residual_input();
    residual = parts.residual;
    activation = parts.fusion.activation;
    output = parts.output;
  }
};

// Input 0 is the data. Consumes input 1 and the bias.
std::unique_ptr<Kernel> compile_integer_product(CompileContext& context, IntegerProduct product);

}  // namespace wasmvino::ops
