// SPDX-License-Identifier: Apache-2.0
// Elu: x above 0, otherwise alpha (e^x - 1).
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/activation/elu-1.html
#include <cmath>

#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops::elu {

static double elu(double x, double alpha, double) { return x < 0.0 ? alpha * std::expm1(x) : x; }

class Elu final : public FunctionElementwise {
 public:
  Elu() : FunctionElementwise(kernels::Unary::kElu, elu, Integers::kRounded, 12) {}

  void visit_attributes(AttributeVisitor& visitor) override { visitor.on("alpha", alpha_); }
};

}  // namespace wasmvino::ops::elu

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(elu) {
  registry.add<elu::Elu>({"Elu", {1}, "activation/elu-1", unary_types(kNumbers)});
}
}  // namespace wasmvino::ops
