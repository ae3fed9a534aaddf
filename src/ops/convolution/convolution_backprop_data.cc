// SPDX-License-Identifier: Apache-2.0
// ConvolutionBackpropData: a transposed convolution, which scatters each element over a window of the output.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/convolution/convolution-backprop-data-1.html
#include "model/registry.h"
#include "ops/convolution/convolution_base.h"

namespace wasmvino::ops::convolution_backprop_data {

class ConvolutionBackpropData final : public ConvolutionOp {
 public:
  ConvolutionBackpropData() : ConvolutionOp({.grouped = false, .transposed = true}) {}
};

}  // namespace wasmvino::ops::convolution_backprop_data

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(convolution_backprop_data) {
  registry.add<convolution_backprop_data::ConvolutionBackpropData>(
      {"ConvolutionBackpropData",
       {1},
       "convolution/convolution-backprop-data-1",
       {{"data", kNumbers}, {"filters", kNumbers, 0}, {"output_shape", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
