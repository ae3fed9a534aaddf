// SPDX-License-Identifier: Apache-2.0
// Tanh: the hyperbolic tangent.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/arithmetic/tanh-1.html
#include <cmath>

#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops::tanh {

static double tanh(double x, double, double) { return std::tanh(x); }

class Tanh final : public FunctionElementwise {
 public:
  Tanh() : FunctionElementwise(kernels::Unary::kTanh, tanh, Integers::kRounded, 10) {}
};

}  // namespace wasmvino::ops::tanh

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(tanh) {
  registry.add<tanh::Tanh>({"Tanh", {1}, "arithmetic/tanh-1", unary_types(kNumbers)});
}
}  // namespace wasmvino::ops
