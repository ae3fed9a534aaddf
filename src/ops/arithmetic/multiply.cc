// SPDX-License-Identifier: Apache-2.0
// Multiply: a * b.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/arithmetic/multiply-1.html
#include "ops/elementwise/loops.h"

namespace wasmvino::ops::multiply {

struct Product {
  template <typename T>
  static T apply(T a, T b) {
    return a * b;
  }
};

constexpr LoopTable kLoops = signless_loops<Product>();

class Multiply final : public ArithmeticElementwise {
 public:
  Multiply() : ArithmeticElementwise(kernels::Binary::kMultiply, kLoops) {}
};

}  // namespace wasmvino::ops::multiply

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(multiply) {
  registry.add<multiply::Multiply>({"Multiply", {1}, "arithmetic/multiply-1", binary_types(kNumbers)});
}
}  // namespace wasmvino::ops
