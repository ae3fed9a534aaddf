// SPDX-License-Identifier: Apache-2.0
// Subtract: a - b.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/arithmetic/subtract-1.html
#include "ops/elementwise/loops.h"

namespace wasmvino::ops::subtract {

struct Difference {
  template <typename T>
  static T apply(T a, T b) {
    return a - b;
  }
};

constexpr LoopTable kLoops = signless_loops<Difference>();

class Subtract final : public ArithmeticElementwise {
 public:
  Subtract() : ArithmeticElementwise(kernels::Binary::kSubtract, kLoops) {}
};

}  // namespace wasmvino::ops::subtract

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(subtract) {
  registry.add<subtract::Subtract>({"Subtract", {1}, "arithmetic/subtract-1", binary_types(kNumbers)});
}
}  // namespace wasmvino::ops
