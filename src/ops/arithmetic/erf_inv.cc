// SPDX-License-Identifier: Apache-2.0
// ErfInv: the number whose error function is x. Infinite at -1 and 1, NaN beyond.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/arithmetic/erfinv-17.html
#include <cmath>
#include <limits>

#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops::erf_inv {

static double inverse_erf(double x, double, double) {
  const double magnitude = std::abs(x);
  if (!(magnitude < 1.0))
    return magnitude == 1.0 ? std::copysign(std::numeric_limits<double>::infinity(), x) : NAN;
  if (magnitude < 1e-9) return x * 0.88622692545275801;  // √π/2 x; the next term is x³
  // Winitzki's closed form, off by at most 0.2 %, followed by two steps of Halley's method, each of which
  // triples the digits. 1 - x is exact where erfc is better conditioned than erf.
  const double log = std::log1p(-magnitude * magnitude);
  const double half = 4.3307467508 + 0.5 * log;
  double y = std::sqrt(std::sqrt(half * half - log * 6.8027210884) - half);
  for (int step = 0; step < 2; ++step) {
    const double error = magnitude < 0.5 ? std::erf(y) - magnitude : (1.0 - magnitude) - std::erfc(y);
    const double newton = error / (1.1283791670955126 * std::exp(-y * y));
    y -= newton / (1.0 + y * newton);
  }
  return std::copysign(y, x);
}

class ErfInv final : public FunctionElementwise {
 public:
  ErfInv() : FunctionElementwise(kernels::Unary::kIdentity, inverse_erf, Integers::kNone) {}
};

}  // namespace wasmvino::ops::erf_inv

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(erf_inv) {
  registry.add<erf_inv::ErfInv>({"ErfInv", {17}, "arithmetic/erfinv-17", unary_types(kFloats), 17});
}
}  // namespace wasmvino::ops
