// SPDX-License-Identifier: Apache-2.0
// IsFinite: whether a number is neither infinite nor NaN.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/comparison/isfinite-10.html
#include <cmath>

#include "ops/elementwise/loops.h"

namespace wasmvino::ops::is_finite {

struct Test {
  template <typename T>
  static bool apply(T x) {
    return std::isfinite(x);
  }
};

constexpr LoopTable kLoops = {.f32 = unary_loop<Test, float, bool>, .f64 = unary_loop<Test, double, bool>};

class IsFinite final : public UnaryElementwise {
 public:
  IsFinite() {}

  ElementwiseFunction function(ElementType type) const override {
    ElementwiseFunction function = choose_loop(kLoops, type);
    function.result = ElementType::kBoolean;
    return function;
  }

 protected:
  ElementType result_type(ElementType) const override { return ElementType::kBoolean; }
};

}  // namespace wasmvino::ops::is_finite

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(is_finite) {
  registry.add<is_finite::IsFinite>({"IsFinite", {10}, "comparison/isfinite-10", unary_types(kFloats)});
}
}  // namespace wasmvino::ops
