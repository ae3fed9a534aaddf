// SPDX-License-Identifier: Apache-2.0
// Sqrt: the square root; NaN below 0.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/arithmetic/sqrt-1.html
#include <cmath>

#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops::sqrt {

static double sqrt(double x, double, double) { return std::sqrt(x); }

class Sqrt final : public FunctionElementwise {
 public:
  Sqrt() : FunctionElementwise(kernels::Unary::kSqrt, sqrt, Integers::kRounded, 4) {}
};

}  // namespace wasmvino::ops::sqrt

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(sqrt) {
  registry.add<sqrt::Sqrt>({"Sqrt", {1}, "arithmetic/sqrt-1", unary_types(kNumbers)});
}
}  // namespace wasmvino::ops
