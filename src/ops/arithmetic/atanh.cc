// SPDX-License-Identifier: Apache-2.0
// Atanh: the number whose hyperbolic tangent is x; NaN outside -1..1.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/arithmetic/atanh-3.html
#include <cmath>

#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops::atanh {

static double atanh(double x, double, double) { return std::atanh(x); }

class Atanh final : public FunctionElementwise {
 public:
  Atanh() : FunctionElementwise(kernels::Unary::kIdentity, atanh, Integers::kRounded) {}
};

}  // namespace wasmvino::ops::atanh

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(atanh) {
  registry.add<atanh::Atanh>({"Atanh", {4}, "arithmetic/atanh-3", unary_types(kNumbers)});
}
}  // namespace wasmvino::ops
