// SPDX-License-Identifier: Apache-2.0
// IsInf: whether a number is infinite, for the signs that the attributes select.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/comparison/isinf-10.html
#include <limits>

#include "ops/elementwise/loops.h"

namespace wasmvino::ops::is_inf {

// parameters.alpha and beta are the infinities to detect, or NaN, which equals nothing.
template <typename T>
void infinity_loop(const LoopOperand* in, void* out, size_t count, const LoopParameters& parameters) {
  const T* x = in[0].as<T>();
  bool* y = static_cast<bool*>(out);
  const T negative = static_cast<T>(parameters.alpha);
  const T positive = static_cast<T>(parameters.beta);
  for (size_t i = 0; i < count; ++i) y[i] = x[i] == negative || x[i] == positive;
}

constexpr LoopTable kLoops = {.f32 = infinity_loop<float>, .f64 = infinity_loop<double>};

class IsInf final : public UnaryElementwise {
 public:
  IsInf() {}

  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("detect_negative", detect_negative_);
    visitor.on("detect_positive", detect_positive_);
  }

  ElementwiseFunction function(ElementType type) const override {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    ElementwiseFunction function = choose_loop(kLoops, type);
    function.result = ElementType::kBoolean;
    function.parameters.alpha = detect_negative_ ? -kInfinity : kNan;
    function.parameters.beta = detect_positive_ ? kInfinity : kNan;
    return function;
  }

 protected:
  ElementType result_type(ElementType) const override { return ElementType::kBoolean; }

 private:
  bool detect_negative_ = true;
  bool detect_positive_ = true;
};

}  // namespace wasmvino::ops::is_inf

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(is_inf) {
  registry.add<is_inf::IsInf>({"IsInf", {10}, "comparison/isinf-10", unary_types(kFloats)});
}
}  // namespace wasmvino::ops
