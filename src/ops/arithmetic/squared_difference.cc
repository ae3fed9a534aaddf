// SPDX-License-Identifier: Apache-2.0
// SquaredDifference: (a - b)².
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/arithmetic/squared-difference-1.html
#include "ops/elementwise/loops.h"

namespace wasmvino::ops::squared_difference {

struct SquareOfDifference {
  template <typename T>
  static T apply(T a, T b) {
    return (a - b) * (a - b);
  }
};

constexpr LoopTable kLoops = signless_loops<SquareOfDifference>();

class SquaredDifference final : public ArithmeticElementwise {
 public:
  SquaredDifference() : ArithmeticElementwise(kernels::Binary::kSquaredDifference, kLoops) {}
};

}  // namespace wasmvino::ops::squared_difference

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(squared_difference) {
  registry.add<squared_difference::SquaredDifference>(
      {"SquaredDifference", {1}, "arithmetic/squared-difference-1", binary_types(kNumbers)});
}
}  // namespace wasmvino::ops
