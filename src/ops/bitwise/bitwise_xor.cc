// SPDX-License-Identifier: Apache-2.0
// BitwiseXor: the bits that are set in exactly one.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/bitwise/bitwise-xor-13.html
#include "ops/elementwise/bitwise.h"

namespace wasmvino::ops::bitwise_xor {

struct Xor {
  static constexpr kernels::Logical kLogical = kernels::Logical::kXor;
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};

class BitwiseXor final : public BitwiseElementwise<Xor> {};

}  // namespace wasmvino::ops::bitwise_xor

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(bitwise_xor) {
  registry.add<bitwise_xor::BitwiseXor>(
      {"BitwiseXor", {13}, "bitwise/bitwise-xor-13", binary_types(kIntegers | kBoolean)});
}
}  // namespace wasmvino::ops
