// SPDX-License-Identifier: Apache-2.0
// HSigmoid: min(max(x + 3, 0), 6) / 6.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/activation/hsigmoid-5.html
#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops::hsigmoid {

static double hsigmoid(double x, double, double) { return (x < -3.0 ? 0.0 : x > 3.0 ? 6.0 : x + 3.0) / 6.0; }

class HSigmoid final : public FunctionElementwise {
 public:
  HSigmoid() : FunctionElementwise(kernels::Unary::kHSigmoid, hsigmoid, Integers::kRounded, 2) {}
};

}  // namespace wasmvino::ops::hsigmoid

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(hsigmoid) {
  registry.add<hsigmoid::HSigmoid>({"HSigmoid", {5}, "activation/hsigmoid-5", unary_types(kNumbers)});
}
}  // namespace wasmvino::ops
