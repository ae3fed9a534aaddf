// SPDX-License-Identifier: Apache-2.0
// FloorMod: the remainder of a / b rounded down; it has the sign of b.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/arithmetic/floormod-1.html
#include <cmath>

#include "ops/elementwise/division.h"
#include "ops/elementwise/loops.h"

namespace wasmvino::ops::floor_mod {

struct FloorRemainder {
  template <typename T>
  static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      const T remainder = truncated_remainder(a, b);
      return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
    } else {
      const T remainder = std::fmod(a, b);
      // As in Python and numpy, a zero has the sign of b, too.
      if (remainder == 0) return std::copysign(T(0), b);
      return (remainder < 0) != (b < 0) ? remainder + b : remainder;
    }
  }
};

constexpr LoopTable kLoops = scalar_loops<FloorRemainder>(binary_kernel_loop<float>,
                                                          division_loop<kernels::Division::kFloorRemainder>);

class FloorMod final : public ArithmeticElementwise {
 public:
  FloorMod() : ArithmeticElementwise(kernels::Binary::kFloorMod, kLoops, 8) {}
};

}  // namespace wasmvino::ops::floor_mod

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(floor_mod) {
  registry.add<floor_mod::FloorMod>({"FloorMod", {1}, "arithmetic/floormod-1", binary_types(kNumbers)});
}
}  // namespace wasmvino::ops
