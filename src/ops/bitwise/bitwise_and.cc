// SPDX-License-Identifier: Apache-2.0
// BitwiseAnd: the bits that are set in both.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/bitwise/bitwise-and-13.html
#include "ops/elementwise/bitwise.h"

namespace wasmvino::ops::bitwise_and {

struct And {
  static constexpr kernels::Logical kLogical = kernels::Logical::kAnd;
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(a & b);
  }
};

class BitwiseAnd final : public BitwiseElementwise<And> {};

}  // namespace wasmvino::ops::bitwise_and

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(bitwise_and) {
  registry.add<bitwise_and::BitwiseAnd>(
      {"BitwiseAnd", {13}, "bitwise/bitwise-and-13", binary_types(kIntegers | kBoolean)});
}
}  // namespace wasmvino::ops
