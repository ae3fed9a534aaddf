// SPDX-License-Identifier: Apache-2.0
// BitwiseOr: the bits that are set in at least one.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/bitwise/bitwise-or-13.html
#include "ops/elementwise/bitwise.h"

namespace wasmvino::ops::bitwise_or {

struct Or {
  static constexpr kernels::Logical kLogical = kernels::Logical::kOr;
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(a | b);
  }
};

class BitwiseOr final : public BitwiseElementwise<Or> {};

}  // namespace wasmvino::ops::bitwise_or

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(bitwise_or) {
  registry.add<bitwise_or::BitwiseOr>(
      {"BitwiseOr", {13}, "bitwise/bitwise-or-13", binary_types(kIntegers | kBoolean)});
}
}  // namespace wasmvino::ops
