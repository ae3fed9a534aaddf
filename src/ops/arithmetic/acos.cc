// SPDX-License-Identifier: Apache-2.0
// Acos: the angle from 0 to π whose cosine is x; NaN outside -1..1.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/arithmetic/acos-1.html
#include <cmath>

#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops::acos {

static double acos(double x, double, double) { return std::acos(x); }

class Acos final : public FunctionElementwise {
 public:
  Acos() : FunctionElementwise(kernels::Unary::kIdentity, acos, Integers::kRounded) {}
};

}  // namespace wasmvino::ops::acos

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(acos) {
  registry.add<acos::Acos>({"Acos", {1}, "arithmetic/acos-1", unary_types(kNumbers)});
}
}  // namespace wasmvino::ops
