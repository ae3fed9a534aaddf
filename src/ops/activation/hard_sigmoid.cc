// SPDX-License-Identifier: Apache-2.0
// HardSigmoid: alpha x + beta, clamped to 0..1; alpha and beta are inputs 1 and 2.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/activation/hardsigmoid-1.html
#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops::hard_sigmoid {

static double hard_sigmoid(double x, double alpha, double beta) {
  const double y = alpha * x + beta;
  return y < 0.0 ? 0.0 : y > 1.0 ? 1.0 : y;
}

class HardSigmoid final : public ParametricElementwise {
 public:
  HardSigmoid() : ParametricElementwise(kernels::Unary::kHardSigmoid, hard_sigmoid, 2) {}

  void infer(InferContext& context) const override {
    context.expect_inputs(3);
    ParametricElementwise::infer(context);
  }
};

}  // namespace wasmvino::ops::hard_sigmoid

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(hard_sigmoid) {
  registry.add<hard_sigmoid::HardSigmoid>({"HardSigmoid",
                                           {1},
                                           "activation/hardsigmoid-1",
                                           {{"X", kNumbers}, {"alpha", kNumbers, 0}, {"beta", kNumbers, 0}}});
}
}  // namespace wasmvino::ops
