// SPDX-License-Identifier: Apache-2.0
// Atan: the angle from -π/2 to π/2 whose tangent is x.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/arithmetic/atan-1.html
#include <cmath>

#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops::atan {

static double atan(double x, double, double) { return std::atan(x); }

class Atan final : public FunctionElementwise {
 public:
  Atan() : FunctionElementwise(kernels::Unary::kIdentity, atan, Integers::kRounded) {}
};

}  // namespace wasmvino::ops::atan

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(atan) {
  registry.add<atan::Atan>({"Atan", {1}, "arithmetic/atan-1", unary_types(kNumbers)});
}
}  // namespace wasmvino::ops
