// SPDX-License-Identifier: Apache-2.0
// Swish: x / (1 + e^(-beta x)); beta is input 1, by default 1.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/activation/swish-4.html
#include <cmath>

#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops::swish {

static double swish(double x, double beta, double) { return x / (1.0 + std::exp(-beta * x)); }

class Swish final : public ParametricElementwise {
 public:
  Swish() : ParametricElementwise(kernels::Unary::kSwish, swish, 10) {}

  void infer(InferContext& context) const override {
    context.expect_inputs(1, 2);
    ParametricElementwise::infer(context);
  }
};

}  // namespace wasmvino::ops::swish

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(swish) {
  registry.add<swish::Swish>({"Swish", {4}, "activation/swish-4", {{"data", kFloats}, {"beta", kFloats, 0}}});
}
}  // namespace wasmvino::ops
