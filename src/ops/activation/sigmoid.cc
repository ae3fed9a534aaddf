// SPDX-License-Identifier: Apache-2.0
// Sigmoid: 1 / (1 + e^-x).
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/activation/sigmoid-1.html
#include <cmath>

#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops::sigmoid {

static double sigmoid(double x, double, double) { return 1.0 / (1.0 + std::exp(-x)); }

class Sigmoid final : public FunctionElementwise {
 public:
  Sigmoid() : FunctionElementwise(kernels::Unary::kSigmoid, sigmoid, Integers::kRounded, 10) {}
};

}  // namespace wasmvino::ops::sigmoid

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(sigmoid) {
  registry.add<sigmoid::Sigmoid>({"Sigmoid", {1}, "activation/sigmoid-1", unary_types(kNumbers)});
}
}  // namespace wasmvino::ops
