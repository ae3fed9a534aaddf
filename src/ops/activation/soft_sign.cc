// SPDX-License-Identifier: Apache-2.0
// SoftSign: x / (1 + |x|).
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/activation/softsign-9.html
#include <cmath>

#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops::soft_sign {

static double soft_sign(double x, double, double) { return x / (1.0 + std::abs(x)); }

class SoftSign final : public FunctionElementwise {
 public:
  SoftSign() : FunctionElementwise(kernels::Unary::kSoftSign, soft_sign, Integers::kNone, 4) {}
};

}  // namespace wasmvino::ops::soft_sign

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(soft_sign) {
  registry.add<soft_sign::SoftSign>({"SoftSign", {9}, "activation/softsign-9", unary_types(kFloats)});
}
}  // namespace wasmvino::ops
