// SPDX-License-Identifier: Apache-2.0
// BitwiseRightShift: a shifted right by b bits. The bits shifted in are copies of a's sign bit, or 0 for
// unsigned types.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/bitwise/bitwise-right-shift-15.html
#include "ops/elementwise/bitwise.h"

namespace wasmvino::ops::bitwise_right_shift {

struct RightShift {
  template <typename T>
  static T apply(T a, T b) {
    return a >> (static_cast<std::make_unsigned_t<T>>(b) % (8 * sizeof(T)));
  }
};

constexpr LoopTable kLoops = shift_loops<RightShift>();

class BitwiseRightShift final : public ShiftElementwise {
 public:
  BitwiseRightShift() : ShiftElementwise(kLoops) {}
};

}  // namespace wasmvino::ops::bitwise_right_shift

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(bitwise_right_shift) {
  registry.add<bitwise_right_shift::BitwiseRightShift>(
      {"BitwiseRightShift", {15}, "bitwise/bitwise-right-shift-15", binary_types(kIntegers)});
}
}  // namespace wasmvino::ops
