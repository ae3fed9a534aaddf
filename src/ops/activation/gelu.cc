// SPDX-License-Identifier: Apache-2.0
#include "ops/activation/gelu.h"

#include <cmath>

namespace wasmvino::ops::gelu {

// `approximate` is 1 for the approximation by tanh.
static double gelu(double x, double approximate, double) {
  if (approximate == 0.0) return 0.5 * x * (1.0 + std::erf(x * 0.70710678118654752));
  return 0.5 * x * (1.0 + std::tanh(0.79788456080286536 * (x + 0.044715 * x * x * x)));
}

Gelu::Gelu(int version)
    : FunctionElementwise(kernels::Unary::kGeluErf, gelu, Integers::kNone, 14), version_(version) {}

void Gelu::visit_attributes(AttributeVisitor& visitor) {
  if (version_ < 7) return;
  visitor.on_enum("approximation_mode", attributes_.approximation_mode, {"ERF", "TANH"});
  set_attributes(attributes_);
}

void Gelu::set_attributes(const Attributes& attributes) {
  attributes_ = attributes;
  const bool approximate = attributes.approximation_mode == ApproximationMode::kTanh;
  alpha_ = approximate ? 1.0 : 0.0;
  kind_ = approximate ? kernels::Unary::kGeluTanh : kernels::Unary::kGeluErf;
}

}  // namespace wasmvino::ops::gelu

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(gelu) {
  registry.add<gelu::Gelu>({"Gelu", {2, 7}, "activation/gelu-7", unary_types(kFloats)});
}
}  // namespace wasmvino::ops
