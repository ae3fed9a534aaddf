// SPDX-License-Identifier: Apache-2.0
// Less: whether a < b; false if either is NaN.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/comparison/less-1.html
#include "ops/elementwise/loops.h"

namespace wasmvino::ops::less {

struct Test {
  template <typename T>
  static bool apply(T a, T b) {
    return a < b;
  }
};

constexpr LoopTable kLoops = signed_tests<Test>();

class Less final : public ComparisonElementwise {
 public:
  Less() : ComparisonElementwise(kernels::Comparison::kLess, kLoops) {}
};

}  // namespace wasmvino::ops::less

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(less) {
  registry.add<less::Less>({"Less", {1}, "comparison/less-1", binary_types(kNumbers | kBoolean)});
}
}  // namespace wasmvino::ops
