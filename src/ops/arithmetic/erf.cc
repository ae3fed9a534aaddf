// SPDX-License-Identifier: Apache-2.0
// Erf: the error function, 2/√π ∫₀ˣ e^-t² dt.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/arithmetic/erf-1.html
#include <cmath>

#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops::erf {

static double erf(double x, double, double) { return std::erf(x); }

class Erf final : public FunctionElementwise {
 public:
  Erf() : FunctionElementwise(kernels::Unary::kErf, erf, Integers::kRounded, 10) {}
};

}  // namespace wasmvino::ops::erf

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(erf) {
  registry.add<erf::Erf>({"Erf", {1}, "arithmetic/erf-1", unary_types(kNumbers)});
}
}  // namespace wasmvino::ops
