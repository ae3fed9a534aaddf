// SPDX-License-Identifier: Apache-2.0
// Mish: x tanh(log(1 + e^x)).
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/activation/mish-4.html
#include <cmath>

#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops::mish {

static double mish(double x, double, double) {
  return x * std::tanh(x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)));
}

class Mish final : public FunctionElementwise {
 public:
  Mish() : FunctionElementwise(kernels::Unary::kMish, mish, Integers::kNone, 14) {}
};

}  // namespace wasmvino::ops::mish

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(mish) {
  registry.add<mish::Mish>({"Mish", {4}, "activation/mish-4", unary_types(kFloats)});
}
}  // namespace wasmvino::ops
