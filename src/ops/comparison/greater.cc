// SPDX-License-Identifier: Apache-2.0
// Greater: whether a > b; false if either is NaN.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/comparison/greater-1.html
#include "ops/elementwise/loops.h"

namespace wasmvino::ops::greater {

struct Test {
  template <typename T>
  static bool apply(T a, T b) {
    return a > b;
  }
};

constexpr LoopTable kLoops = signed_tests<Test>();

class Greater final : public ComparisonElementwise {
 public:
  Greater() : ComparisonElementwise(kernels::Comparison::kGreater, kLoops) {}
};

}  // namespace wasmvino::ops::greater

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(greater) {
  registry.add<greater::Greater>({"Greater", {1}, "comparison/greater-1", binary_types(kNumbers | kBoolean)});
}
}  // namespace wasmvino::ops
