// SPDX-License-Identifier: Apache-2.0
// Selu: lambda x above 0, otherwise lambda alpha (e^x - 1); alpha and lambda are inputs 1 and 2.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/activation/selu-1.html
#include <cmath>

#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops::selu {

static double selu(double x, double alpha, double lambda) {
  return lambda * (x > 0.0 ? x : alpha * std::expm1(x));
}

class Selu final : public ParametricElementwise {
 public:
  Selu() : ParametricElementwise(kernels::Unary::kSelu, selu, 12) {}

  void infer(InferContext& context) const override {
    context.expect_inputs(3);
    ParametricElementwise::infer(context);
  }
};

}  // namespace wasmvino::ops::selu

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(selu) {
  registry.add<selu::Selu>(
      {"Selu", {1}, "activation/selu-1", {{"data", kFloats}, {"alpha", kFloats, 0}, {"lambda", kFloats, 0}}});
}
}  // namespace wasmvino::ops
