// SPDX-License-Identifier: Apache-2.0
// BitwiseLeftShift: a shifted left by b bits.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/bitwise/bitwise-left-shift-15.html
#include "ops/elementwise/bitwise.h"

namespace wasmvino::ops::bitwise_left_shift {

struct LeftShift {
  template <typename T>
  static T apply(T a, T b) {
    using Bits = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Bits>(a) << (static_cast<Bits>(b) % (8 * sizeof(T))));
  }
};

constexpr LoopTable kLoops = shift_loops<LeftShift>();

class BitwiseLeftShift final : public ShiftElementwise {
 public:
  BitwiseLeftShift() : ShiftElementwise(kLoops) {}
};

}  // namespace wasmvino::ops::bitwise_left_shift

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(bitwise_left_shift) {
  registry.add<bitwise_left_shift::BitwiseLeftShift>(
      {"BitwiseLeftShift", {15}, "bitwise/bitwise-left-shift-15", binary_types(kIntegers)});
}
}  // namespace wasmvino::ops
