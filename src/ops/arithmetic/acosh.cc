// SPDX-License-Identifier: Apache-2.0
// Acosh: the number of 0 or more whose hyperbolic cosine is x; NaN below 1.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/arithmetic/acosh-3.html
#include <cmath>

#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops::acosh {

static double acosh(double x, double, double) { return std::acosh(x); }

class Acosh final : public FunctionElementwise {
 public:
  Acosh() : FunctionElementwise(kernels::Unary::kIdentity, acosh, Integers::kRounded) {}
};

}  // namespace wasmvino::ops::acosh

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(acosh) {
  registry.add<acosh::Acosh>({"Acosh", {4}, "arithmetic/acosh-3", unary_types(kNumbers)});
}
}  // namespace wasmvino::ops
