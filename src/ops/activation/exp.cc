// SPDX-License-Identifier: Apache-2.0
// Exp: e^x.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/activation/exp-1.html
#include <cmath>

#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops::exp {

static double exp(double x, double, double) { return std::exp(x); }

class Exp final : public FunctionElementwise {
 public:
  Exp() : FunctionElementwise(kernels::Unary::kExp, exp, Integers::kRounded, 10) {}
};

}  // namespace wasmvino::ops::exp

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(exp) {
  registry.add<exp::Exp>({"Exp", {1}, "activation/exp-1", unary_types(kNumbers)});
}
}  // namespace wasmvino::ops
