// SPDX-License-Identifier: Apache-2.0
// Cosh: the hyperbolic cosine.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/arithmetic/cosh-1.html
#include <cmath>

#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops::cosh {

static double cosh(double x, double, double) { return std::cosh(x); }

class Cosh final : public FunctionElementwise {
 public:
  Cosh() : FunctionElementwise(kernels::Unary::kIdentity, cosh, Integers::kRounded) {}
};

}  // namespace wasmvino::ops::cosh

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(cosh) {
  registry.add<cosh::Cosh>({"Cosh", {1}, "arithmetic/cosh-1", unary_types(kNumbers)});
}
}  // namespace wasmvino::ops
