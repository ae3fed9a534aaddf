// SPDX-License-Identifier: Apache-2.0
// Floor: rounds down. Integers are unchanged.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/arithmetic/floor-1.html
#include <cmath>

#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops::floor {

static double floor(double x, double, double) { return std::floor(x); }

class Floor final : public FunctionElementwise {
 public:
  Floor() : FunctionElementwise(kernels::Unary::kFloor, floor, Integers::kRounded) {}

 protected:
  bool is_identity(ElementType type) const override { return !is_real(type); }
};

}  // namespace wasmvino::ops::floor

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(floor) {
  registry.add<floor::Floor>({"Floor", {1}, "arithmetic/floor-1", unary_types(kNumbers)});
}
}  // namespace wasmvino::ops
