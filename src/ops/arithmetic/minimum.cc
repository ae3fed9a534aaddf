// SPDX-License-Identifier: Apache-2.0
// Minimum: the smaller of a and b; NaN if either is NaN.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/arithmetic/minimum-1.html
#include "core/nan.h"
#include "ops/elementwise/loops.h"

namespace wasmvino::ops::minimum {

struct Least {
  template <typename T>
  static T apply(T a, T b) {
    return a < b || is_nan(a) ? a : b;
  }
};

constexpr LoopTable kLoops = signed_loops<Least>();

class Minimum final : public ArithmeticElementwise {
 public:
  Minimum() : ArithmeticElementwise(kernels::Binary::kMinimum, kLoops) {}
};

}  // namespace wasmvino::ops::minimum

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(minimum) {
  registry.add<minimum::Minimum>({"Minimum", {1}, "arithmetic/minimum-1", binary_types(kNumbers)});
}
}  // namespace wasmvino::ops
