// SPDX-License-Identifier: Apache-2.0
// Sinh: the hyperbolic sine.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/arithmetic/sinh-1.html
#include <cmath>

#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops::sinh {

static double sinh(double x, double, double) { return std::sinh(x); }

class Sinh final : public FunctionElementwise {
 public:
  Sinh() : FunctionElementwise(kernels::Unary::kIdentity, sinh, Integers::kRounded) {}
};

}  // namespace wasmvino::ops::sinh

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(sinh) {
  registry.add<sinh::Sinh>({"Sinh", {1}, "arithmetic/sinh-1", unary_types(kNumbers)});
}
}  // namespace wasmvino::ops
