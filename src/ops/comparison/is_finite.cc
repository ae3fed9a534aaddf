// SPDX-License-Identifier: Apache-2.0
// IsFinite: whether a number is neither infinite nor NaN.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/comparison/isfinite-10.html
#include <algorithm>
#include <cmath>

#include "ops/elementwise/loops.h"

namespace wasmvino::ops::is_finite {

struct Test {
  template <typename T>
  static bool apply(T x) {
    return std::isfinite(x);
  }
};

// x - x is 0 if x is finite, otherwise NaN.
void f32_loop(const LoopOperand* in, void* out, size_t count, const LoopParameters&) {
  constexpr size_t kBlock = 256;
  const float* x = in[0].as<float>();
  uint8_t* y = static_cast<uint8_t*>(out);
  float differences[kBlock];
  for (size_t done = 0; done < count; done += kBlock) {
    const size_t n = std::min(kBlock, count - done);
    kernels::apply_binary(kernels::Binary::kSubtract, x + done, 1, x + done, 1, differences, n);
    kernels::compare(kernels::Comparison::kEqual, differences, 1, differences, 1, y + done, n);
  }
}

constexpr LoopTable kLoops = {.f32 = f32_loop, .f64 = unary_loop<Test, double, bool>};

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
