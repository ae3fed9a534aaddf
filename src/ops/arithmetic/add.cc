// SPDX-License-Identifier: Apache-2.0
// Add: a + b.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/arithmetic/add-1.html
#include "ops/elementwise/loops.h"

namespace wasmvino::ops::add {

struct Sum {
  template <typename T>
  static T apply(T a, T b) {
    return a + b;
  }
};

constexpr LoopTable kLoops = signless_loops<Sum>();

class Add final : public ArithmeticElementwise {
 public:
  Add() : ArithmeticElementwise(kernels::Binary::kAdd, kLoops) {}
};

}  // namespace wasmvino::ops::add

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(add) {
  registry.add<add::Add>({"Add", {1}, "arithmetic/add-1", binary_types(kNumbers)});
}
}  // namespace wasmvino::ops
