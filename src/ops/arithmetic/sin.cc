// SPDX-License-Identifier: Apache-2.0
// Sin: the sine of an angle in radians.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/arithmetic/sin-1.html
#include <cmath>

#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops::sin {

static double sin(double x, double, double) { return std::sin(x); }

class Sin final : public FunctionElementwise {
 public:
  Sin() : FunctionElementwise(kernels::Unary::kSin, sin, Integers::kRounded, 10) {}
};

}  // namespace wasmvino::ops::sin

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(sin) {
  registry.add<sin::Sin>({"Sin", {1}, "arithmetic/sin-1", unary_types(kNumbers)});
}
}  // namespace wasmvino::ops
