// SPDX-License-Identifier: Apache-2.0
// GreaterEqual: whether a ≥ b; false if either is NaN.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/comparison/greater-equal-1.html
#include "ops/elementwise/loops.h"

namespace wasmvino::ops::greater_equal {

struct Test {
  template <typename T>
  static bool apply(T a, T b) {
    return a >= b;
  }
};

constexpr LoopTable kLoops = signed_tests<Test>();

class GreaterEqual final : public ComparisonElementwise {
 public:
  GreaterEqual() : ComparisonElementwise(kernels::Comparison::kGreaterEqual, kLoops) {}
};

}  // namespace wasmvino::ops::greater_equal

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(greater_equal) {
  registry.add<greater_equal::GreaterEqual>(
      {"GreaterEqual", {1}, "comparison/greater-equal-1", binary_types(kNumbers | kBoolean)});
}
}  // namespace wasmvino::ops
