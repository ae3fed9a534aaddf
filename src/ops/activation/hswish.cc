// SPDX-License-Identifier: Apache-2.0
// HSwish: x min(max(x + 3, 0), 6) / 6.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/activation/hswish-4.html
#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops::hswish {

static double hswish(double x, double, double) {
  return x * (x < -3.0 ? 0.0 : x > 3.0 ? 6.0 : x + 3.0) / 6.0;
}

class HSwish final : public FunctionElementwise {
 public:
  HSwish() : FunctionElementwise(kernels::Unary::kHSwish, hswish, Integers::kRounded, 2) {}
};

}  // namespace wasmvino::ops::hswish

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(hswish) {
  registry.add<hswish::HSwish>({"HSwish", {4}, "activation/hswish-4", unary_types(kNumbers)});
}
}  // namespace wasmvino::ops
