// SPDX-License-Identifier: Apache-2.0
// Round: rounds to the nearest integer; ties go to the even one, or away from zero. Integers are unchanged.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/arithmetic/round-5.html
#include <cmath>

#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops::round {

// `away` is 1 if ties go away from zero.
static double rounded(double x, double away, double) {
  return away != 0.0 ? std::round(x) : std::nearbyint(x);
}

class Round final : public FunctionElementwise {
 public:
  Round() : FunctionElementwise(kernels::Unary::kRoundHalfToEven, rounded, Integers::kRounded) {}

  void visit_attributes(AttributeVisitor& visitor) override {
    bool away = alpha_ != 0.0;
    visitor.on_enum("mode", away, {"half_to_even", "half_away_from_zero"});
    alpha_ = away ? 1.0 : 0.0;
    kind_ = away ? kernels::Unary::kRoundHalfAwayFromZero : kernels::Unary::kRoundHalfToEven;
  }

 protected:
  bool is_identity(ElementType type) const override { return !is_real(type); }
};

}  // namespace wasmvino::ops::round

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(round) {
  registry.add<round::Round>({"Round", {5}, "arithmetic/round-5", unary_types(kNumbers)});
}
}  // namespace wasmvino::ops
