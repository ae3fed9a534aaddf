// SPDX-License-Identifier: Apache-2.0
// LessEqual: whether a ≤ b; false if either is NaN.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/comparison/less-equal-1.html
#include "ops/elementwise/loops.h"

namespace wasmvino::ops::less_equal {

struct Test {
  template <typename T>
  static bool apply(T a, T b) {
    return a <= b;
  }
};

constexpr LoopTable kLoops = signed_tests<Test>();

class LessEqual final : public ComparisonElementwise {
 public:
  LessEqual() : ComparisonElementwise(kernels::Comparison::kLessEqual, kLoops) {}
};

}  // namespace wasmvino::ops::less_equal

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(less_equal) {
  registry.add<less_equal::LessEqual>(
      {"LessEqual", {1}, "comparison/less-equal-1", binary_types(kNumbers | kBoolean)});
}
}  // namespace wasmvino::ops
