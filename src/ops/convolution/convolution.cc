// SPDX-License-Identifier: Apache-2.0
// Convolution: sums of products of filters and windows of the data.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/convolution/convolution-1.html
#include "model/registry.h"
#include "ops/convolution/convolution_base.h"

namespace wasmvino::ops::convolution {

class Convolution final : public ConvolutionOp {
 public:
  Convolution() : ConvolutionOp({.grouped = false, .transposed = false}) {}
};

}  // namespace wasmvino::ops::convolution

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(convolution) {
  registry.add<convolution::Convolution>(
      {"Convolution", {1}, "convolution/convolution-1", {{"data", kNumbers}, {"filters", kNumbers, 0}}});
}
}  // namespace wasmvino::ops
