// SPDX-License-Identifier: Apache-2.0
// Log: the natural logarithm; NaN below 0.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/arithmetic/log-1.html
#include <cmath>

#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops::log {

static double log(double x, double, double) { return std::log(x); }

class Log final : public FunctionElementwise {
 public:
  Log() : FunctionElementwise(kernels::Unary::kLog, log, Integers::kRounded, 10) {}
};

}  // namespace wasmvino::ops::log

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(log) {
  registry.add<log::Log>({"Log", {1}, "arithmetic/log-1", unary_types(kNumbers)});
}
}  // namespace wasmvino::ops
