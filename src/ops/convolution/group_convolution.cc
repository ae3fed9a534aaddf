// SPDX-License-Identifier: Apache-2.0
// GroupConvolution: a convolution in which each group of channels has its own filters.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/convolution/group-convolution-1.html
#include "model/registry.h"
#include "ops/convolution/convolution_base.h"

namespace wasmvino::ops::group_convolution {

class GroupConvolution final : public ConvolutionOp {
 public:
  GroupConvolution() : ConvolutionOp({.grouped = true, .transposed = false}) {}
};

}  // namespace wasmvino::ops::group_convolution

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(group_convolution) {
  registry.add<group_convolution::GroupConvolution>({"GroupConvolution",
                                                     {1},
                                                     "convolution/group-convolution-1",
                                                     {{"data", kNumbers}, {"filters", kNumbers, 0}}});
}
}  // namespace wasmvino::ops
