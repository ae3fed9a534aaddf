// SPDX-License-Identifier: Apache-2.0
// Ceiling: rounds up. Integers are unchanged.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/arithmetic/ceiling-1.html
#include <cmath>

#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops::ceiling {

static double ceiling(double x, double, double) { return std::ceil(x); }

class Ceiling final : public FunctionElementwise {
 public:
  Ceiling() : FunctionElementwise(kernels::Unary::kCeiling, ceiling, Integers::kRounded) {}

 protected:
  bool is_identity(ElementType type) const override { return !is_real(type); }
};

}  // namespace wasmvino::ops::ceiling

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(ceiling) {
  registry.add<ceiling::Ceiling>({"Ceiling", {1}, "arithmetic/ceiling-1", unary_types(kNumbers)});
}
}  // namespace wasmvino::ops
