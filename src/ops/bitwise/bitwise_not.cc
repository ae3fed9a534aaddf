// SPDX-License-Identifier: Apache-2.0
// BitwiseNot: inverts all bits; for booleans, the negation.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/bitwise/bitwise-not-13.html
#include "ops/elementwise/loops.h"

namespace wasmvino::ops::bitwise_not {

struct Not {
  template <typename T>
  static T apply(T x) {
    return static_cast<T>(~x);
  }
};

struct LogicalNot {
  template <typename T>
  static T apply(T x) {
    return x == 0;
  }
};

constexpr LoopTable kLoops = {.i32 = unary_loop<Not, uint32_t>,
                              .i64 = unary_loop<Not, uint64_t>,
                              .u32 = unary_loop<Not, uint32_t>,
                              .u64 = unary_loop<Not, uint64_t>};

class BitwiseNot final : public UnaryElementwise {
 public:
  BitwiseNot() {}

  ElementwiseFunction function(ElementType type) const override {
    if (type == ElementType::kBoolean) return elementwise_function(unary_loop<LogicalNot, uint8_t>, type);
    return choose_loop(kLoops, type);
  }
};

}  // namespace wasmvino::ops::bitwise_not

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(bitwise_not) {
  registry.add<bitwise_not::BitwiseNot>(
      {"BitwiseNot", {13}, "bitwise/bitwise-not-13", unary_types(kIntegers | kBoolean)});
}
}  // namespace wasmvino::ops
