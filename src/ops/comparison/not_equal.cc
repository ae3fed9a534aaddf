// SPDX-License-Identifier: Apache-2.0
// NotEqual: whether a ≠ b; NaN differs from everything.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/comparison/not-equal-1.html
#include "ops/elementwise/loops.h"

namespace wasmvino::ops::not_equal {

struct Test {
  template <typename T>
  static bool apply(T a, T b) {
    return a != b;
  }
};

constexpr LoopTable kLoops = signless_tests<Test>();

class NotEqual final : public ComparisonElementwise {
 public:
  NotEqual() : ComparisonElementwise(kernels::Comparison::kNotEqual, kLoops) {}
};

}  // namespace wasmvino::ops::not_equal

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(not_equal) {
  registry.add<not_equal::NotEqual>(
      {"NotEqual", {1}, "comparison/not-equal-1", binary_types(kNumbers | kBoolean)});
}
}  // namespace wasmvino::ops
