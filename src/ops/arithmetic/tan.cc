// SPDX-License-Identifier: Apache-2.0
// Tan: the tangent of an angle in radians.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/arithmetic/tan-1.html
#include <cmath>

#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops::tan {

static double tan(double x, double, double) { return std::tan(x); }

class Tan final : public FunctionElementwise {
 public:
  Tan() : FunctionElementwise(kernels::Unary::kIdentity, tan, Integers::kRounded) {}
};

}  // namespace wasmvino::ops::tan

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(tan) {
  registry.add<tan::Tan>({"Tan", {1}, "arithmetic/tan-1", unary_types(kNumbers)});
}
}  // namespace wasmvino::ops
