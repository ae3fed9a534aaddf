// SPDX-License-Identifier: Apache-2.0
// SoftPlus: log(1 + e^x).
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/activation/softplus-4.html
#include <cmath>

#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops::soft_plus {

static double soft_plus(double x, double, double) {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

class SoftPlus final : public FunctionElementwise {
 public:
  SoftPlus() : FunctionElementwise(kernels::Unary::kSoftPlus, soft_plus, Integers::kNone, 14) {}
};

}  // namespace wasmvino::ops::soft_plus

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(soft_plus) {
  registry.add<soft_plus::SoftPlus>({"SoftPlus", {4}, "activation/softplus-4", unary_types(kFloats)});
}
}  // namespace wasmvino::ops
