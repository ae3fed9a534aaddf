// SPDX-License-Identifier: Apache-2.0
// Asin: the angle from -π/2 to π/2 whose sine is x; NaN outside -1..1.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/arithmetic/asin-1.html
#include <cmath>

#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops::asin {

static double asin(double x, double, double) { return std::asin(x); }

class Asin final : public FunctionElementwise {
 public:
  Asin() : FunctionElementwise(kernels::Unary::kIdentity, asin, Integers::kRounded) {}
};

}  // namespace wasmvino::ops::asin

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(asin) {
  registry.add<asin::Asin>({"Asin", {1}, "arithmetic/asin-1", unary_types(kNumbers)});
}
}  // namespace wasmvino::ops
