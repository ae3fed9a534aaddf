// SPDX-License-Identifier: Apache-2.0
// Mod: the remainder of a / b rounded towards zero; it has the sign of a.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/arithmetic/mod-1.html
#include <cmath>

#include "ops/elementwise/division.h"
#include "ops/elementwise/loops.h"

namespace wasmvino::ops::mod {

struct Remainder {
  template <typename T>
  static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return truncated_remainder(a, b);
    } else {
      return std::fmod(a, b);
    }
  }
};

constexpr LoopTable kLoops =
    scalar_loops<Remainder>(binary_kernel_loop<float>, division_loop<kernels::Division::kRemainder>);

class Mod final : public ArithmeticElementwise {
 public:
  Mod() : ArithmeticElementwise(kernels::Binary::kMod, kLoops, 8) {}
};

}  // namespace wasmvino::ops::mod

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(mod) {
  registry.add<mod::Mod>({"Mod", {1}, "arithmetic/mod-1", binary_types(kNumbers)});
}
}  // namespace wasmvino::ops
