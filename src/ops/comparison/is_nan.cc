// SPDX-License-Identifier: Apache-2.0
// IsNaN: whether an element is NaN, not a number.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/comparison/isnan-10.html
#include <cmath>

#include "ops/elementwise/loops.h"

namespace wasmvino::ops::is_nan {

struct Test {
  template <typename T>
  static bool apply(T x) {
    return std::isnan(x);
  }
};

// Only a NaN differs from itself.
void f32_loop(const LoopOperand* in, void* out, size_t count, const LoopParameters&) {
  const float* x = in[0].as<float>();
  kernels::compare(kernels::Comparison::kNotEqual, x, 1, x, 1, static_cast<uint8_t*>(out), count);
}

constexpr LoopTable kLoops = {.f32 = f32_loop, .f64 = unary_loop<Test, double, bool>};

class IsNaN final : public UnaryElementwise {
 public:
  IsNaN() {}

  ElementwiseFunction function(ElementType type) const override {
    ElementwiseFunction function = choose_loop(kLoops, type);
    function.result = ElementType::kBoolean;
    return function;
  }

 protected:
  ElementType result_type(ElementType) const override { return ElementType::kBoolean; }
};

}  // namespace wasmvino::ops::is_nan

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(is_nan) {
  registry.add<is_nan::IsNaN>({"IsNaN", {10}, "comparison/isnan-10", unary_types(kFloats)});
}
}  // namespace wasmvino::ops
