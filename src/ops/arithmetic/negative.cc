// SPDX-License-Identifier: Apache-2.0
// Negative: -x. Integers wrap around, except for i8, which saturates.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/arithmetic/negative-1.html
#include "ops/elementwise/loops.h"

namespace wasmvino::ops::negative {

struct Negated {
  template <typename T>
  static T apply(T x) {
    return 0 - x;
  }
};

constexpr ElementwiseLoop kWord = unary_loop<Negated, uint32_t>;
constexpr ElementwiseLoop kLong = unary_loop<Negated, uint64_t>;
constexpr LoopTable kLoops = {.i32 = kWord, .i64 = kLong, .u32 = kWord, .u64 = kLong};

static double negative(double x, double, double) { return -x; }

class Negative final : public FunctionElementwise {
 public:
  Negative() : FunctionElementwise(kernels::Unary::kNegative, negative, Integers::kOwn) {}

 protected:
  const LoopTable& integer_loops() const override { return kLoops; }
};

}  // namespace wasmvino::ops::negative

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(negative) {
  registry.add<negative::Negative>({"Negative", {1}, "arithmetic/negative-1", unary_types(kNumbers)});
}
}  // namespace wasmvino::ops
