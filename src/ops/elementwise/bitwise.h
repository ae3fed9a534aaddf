// SPDX-License-Identifier: Apache-2.0
// Operations on the bits of integers, or on booleans, where any byte except 0 counts as true.
#pragma once

#include "ops/elementwise/logical.h"
#include "ops/elementwise/loops.h"

namespace wasmvino::ops {

// Integers are computed in their own width, regardless of sign. `struct F { template <typename T> static T
// apply(T a, T b); }`.
template <typename F>
ElementwiseFunction bitwise_function(ElementType type) {
  if (type == ElementType::kBoolean) return elementwise_function(logical_loop<F::kLogical>, type);
  switch (bit_width(type)) {
    case 8:
      return elementwise_function(binary_loop<F, uint8_t>, type);
    case 16:
      return elementwise_function(binary_loop<F, uint16_t>, type);
    case 32:
      return elementwise_function(binary_loop<F, uint32_t>, type);
    default:
      return elementwise_function(binary_loop<F, uint64_t>, type);
  }
}

template <typename F>
class BitwiseElementwise : public BinaryElementwise {
 public:
  ElementwiseFunction function(ElementType type) const override { return bitwise_function<F>(type); }
};

// Shifts a by b bits. b is taken modulo 64 for i64 and u64, otherwise modulo 32; narrower types are computed
// in 32 bits too. (The specification does not define shifts by a negative number or by the type's width or
// more; these results are those of OpenVINO's CPU plugin.)
class ShiftElementwise : public BinaryElementwise {
 public:
  // `loops` must outlive the operation.
  explicit ShiftElementwise(const LoopTable& loops) : loops_(loops) {}

  ElementwiseFunction function(ElementType type) const override { return choose_loop(loops_, type); }

 private:
  const LoopTable& loops_;
};

// `struct F { template <typename T> static T apply(T a, T b); }`
template <typename F>
constexpr LoopTable shift_loops() {
  return {.i32 = binary_loop<F, int32_t>,
          .i64 = binary_loop<F, int64_t>,
          .u32 = binary_loop<F, uint32_t>,
          .u64 = binary_loop<F, uint64_t>};
}

}  // namespace wasmvino::ops
