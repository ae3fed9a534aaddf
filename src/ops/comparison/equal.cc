// SPDX-License-Identifier: Apache-2.0
// Equal: whether a = b; false if either is NaN.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/comparison/equal-1.html
#include "ops/elementwise/loops.h"

namespace wasmvino::ops::equal {

struct Test {
  template <typename T>
  static bool apply(T a, T b) {
    return a == b;
  }
};

constexpr LoopTable kLoops = signless_tests<Test>();

class Equal final : public ComparisonElementwise {
 public:
  Equal() : ComparisonElementwise(kernels::Comparison::kEqual, kLoops) {}
};

}  // namespace wasmvino::ops::equal

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(equal) {
  registry.add<equal::Equal>({"Equal", {1}, "comparison/equal-1", binary_types(kNumbers | kBoolean)});
}
}  // namespace wasmvino::ops
