// SPDX-License-Identifier: Apache-2.0
// GroupConvolutionBackpropData: a transposed convolution in which each group of channels has its own filters.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/convolution/group-convolution-backprop-data-1.html
#include "model/registry.h"
#include "ops/convolution/convolution_base.h"

namespace wasmvino::ops::group_convolution_backprop_data {

class GroupConvolutionBackpropData final : public ConvolutionOp {
 public:
  GroupConvolutionBackpropData() : ConvolutionOp({.grouped = true, .transposed = true}) {}
};

}  // namespace wasmvino::ops::group_convolution_backprop_data

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(group_convolution_backprop_data) {
  registry.add<group_convolution_backprop_data::GroupConvolutionBackpropData>(
      {"GroupConvolutionBackpropData",
       {1},
       "convolution/group-convolution-backprop-data-1",
       {{"data", kNumbers}, {"filters", kNumbers, 0}, {"output_shape", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
