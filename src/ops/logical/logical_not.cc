// SPDX-License-Identifier: Apache-2.0
// LogicalNot: whether x is false. OpenVINO also accepts numbers: 0 becomes 1, all others become 0.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/logical/logical-not-1.html
#include "ops/elementwise/loops.h"

namespace wasmvino::ops::logical_not {

struct IsZero {
  template <typename T>
  static T apply(T x) {
    return x == 0;
  }
};

void not_loop(const LoopOperand* in, void* out, size_t count, const LoopParameters&) {
  static constexpr uint8_t kTrue = 1;
  kernels::apply_logical(kernels::Logical::kXor, in[0].as<uint8_t>(), in[0].step, &kTrue, 0,
                         static_cast<uint8_t*>(out), count);
}

constexpr LoopTable kLoops = {
    unary_loop<IsZero, float>,    unary_loop<IsZero, double>,   unary_loop<IsZero, uint32_t>,
    unary_loop<IsZero, uint64_t>, unary_loop<IsZero, uint32_t>, unary_loop<IsZero, uint64_t>,
};

class LogicalNot final : public UnaryElementwise {
 public:
  LogicalNot() {}

  ElementwiseFunction function(ElementType type) const override {
    if (type == ElementType::kBoolean) return elementwise_function(not_loop, type);
    return choose_loop(kLoops, type);
  }
};

}  // namespace wasmvino::ops::logical_not

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(logical_not) {
  registry.add<logical_not::LogicalNot>(
      {"LogicalNot", {1}, "logical/logical-not-1", unary_types(kNumbers | kBoolean)});
}
}  // namespace wasmvino::ops
