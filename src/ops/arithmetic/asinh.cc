// SPDX-License-Identifier: Apache-2.0
// Asinh: the number whose hyperbolic sine is x.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/arithmetic/asinh-3.html
#include <cmath>

#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops::asinh {

static double asinh(double x, double, double) { return std::asinh(x); }

class Asinh final : public FunctionElementwise {
 public:
  Asinh() : FunctionElementwise(kernels::Unary::kIdentity, asinh, Integers::kRounded) {}
};

}  // namespace wasmvino::ops::asinh

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(asinh) {
  registry.add<asinh::Asinh>({"Asinh", {4}, "arithmetic/asinh-3", unary_types(kNumbers)});
}
}  // namespace wasmvino::ops
