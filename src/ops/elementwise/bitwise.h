// SPDX-License-Identifier: Apache-2.0
// Operations of the bits of integers, or of booleans, of which any byte but 0 counts as true.
#pragma once

#include "ops/elementwise/logical.h"
#include "ops/elementwise/loops.h"

namespace wasmvino::ops {

// Integers are computed as wide as they are, whatever their sign; `struct F { template <typename T> static T
// apply(T a, T b); }`.
template <typename F>
ElementwiseFunction bitwise_function(ElementType type) {
  if (type == ElementType::kBoolean) return elementwise_function(logical_loop<F>, type);
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

// Shifts of a by b bits; b is taken modulo 64 for i64 and u64, else modulo 32, in which narrower types are
// computed as well. (The specification leaves shifts by the type's width or more, and by less than 0, open;
// these are what OpenVINO's CPU plugin gives.)
class ShiftElementwise : public BinaryElementwise {
 public:
  // `loops` outlives the operation.
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
