// SPDX-License-Identifier: Apache-2.0
// Maximum: the greater of a and b; NaN if either is NaN.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/arithmetic/maximum-1.html
#include "core/nan.h"
#include "ops/elementwise/loops.h"

namespace wasmvino::ops::maximum {

struct Greatest {
  template <typename T>
  static T apply(T a, T b) {
    return a > b || is_nan(a) ? a : b;
  }
};

constexpr LoopTable kLoops = signed_loops<Greatest>();

class Maximum final : public ArithmeticElementwise {
 public:
  Maximum() : ArithmeticElementwise(kernels::Binary::kMaximum, kLoops) {}
};

}  // namespace wasmvino::ops::maximum

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(maximum) {
  registry.add<maximum::Maximum>({"Maximum", {1}, "arithmetic/maximum-1", binary_types(kNumbers)});
}
}  // namespace wasmvino::ops
