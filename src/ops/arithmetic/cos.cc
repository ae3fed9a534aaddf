// SPDX-License-Identifier: Apache-2.0
// Cos: the cosine of an angle in radians.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/arithmetic/cos-1.html
#include <cmath>

#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops::cos {

static double cos(double x, double, double) { return std::cos(x); }

class Cos final : public FunctionElementwise {
 public:
  Cos() : FunctionElementwise(kernels::Unary::kCos, cos, Integers::kRounded, 10) {}
};

}  // namespace wasmvino::ops::cos

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(cos) {
  registry.add<cos::Cos>({"Cos", {1}, "arithmetic/cos-1", unary_types(kNumbers)});
}
}  // namespace wasmvino::ops
