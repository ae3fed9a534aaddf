// SPDX-License-Identifier: Apache-2.0
// Gelu: x Φ(x), Φ the distribution function of the normal distribution; exact, or approximated by tanh (from
// version 7 on).
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/activation/gelu-7.html
#include <cmath>

#include "ops/common/elementwise.h"

namespace wasmvino::ops::gelu {

// `approximate` is 1 for the approximation.
static double gelu(double x, double approximate, double) {
  if (approximate == 0.0) return 0.5 * x * (1.0 + std::erf(x * 0.70710678118654752));
  return 0.5 * x * (1.0 + std::tanh(0.79788456080286536 * (x + 0.044715 * x * x * x)));
}

class Gelu final : public FunctionElementwise {
 public:
  explicit Gelu(int version)
      : FunctionElementwise(kernels::Unary::kGeluErf, gelu, Integers::kNone, 14), version_(version) {}

  void visit_attributes(AttributeVisitor& visitor) override {
    if (version_ < 7) return;
    bool approximate = alpha_ != 0.0;
    visitor.on_enum("approximation_mode", approximate, {"ERF", "TANH"});
    alpha_ = approximate ? 1.0 : 0.0;
    kind_ = approximate ? kernels::Unary::kGeluTanh : kernels::Unary::kGeluErf;
  }

 private:
  int version_;
};

}  // namespace wasmvino::ops::gelu

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(gelu) {
  registry.add<gelu::Gelu>({"Gelu", {2, 7}, "activation/gelu-7", unary_types(kFloats)});
}
}  // namespace wasmvino::ops
