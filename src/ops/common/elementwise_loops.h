// SPDX-License-Identifier: Apache-2.0
// Inner loops made from a function of one element: `struct F { template <typename T> static T apply(T a, T
// b); }`.
#pragma once

#include <type_traits>

#include "ops/common/elementwise.h"

namespace wasmvino::ops {

template <typename F, typename T, typename R = T>
void unary_loop(const LoopOperand* in, void* out, size_t count, const LoopParameters&) {
  const T* x = in[0].as<T>();
  R* y = static_cast<R*>(out);
  for (size_t i = 0; i < count; ++i) y[i] = F::template apply<T>(x[i]);
}

// R: the result's type; void: the operands'.
template <typename F, typename T, typename R = void>
void binary_loop(const LoopOperand* in, void* out, size_t count, const LoopParameters&) {
  const T* a = in[0].as<T>();
  const T* b = in[1].as<T>();
  const size_t a_step = in[0].step;
  const size_t b_step = in[1].step;
  auto* y = static_cast<std::conditional_t<std::is_void_v<R>, T, R>*>(out);
  for (size_t i = 0; i < count; ++i) y[i] = F::template apply<T>(a[i * a_step], b[i * b_step]);
}

// Loops over all types where an integer's sign is of no matter (sums, products, equality): they are computed
// unsigned, in which overflow wraps around.
template <typename F, typename R = void>
constexpr LoopTable signless_loops(ElementwiseLoop f32) {
  constexpr ElementwiseLoop kWord = binary_loop<F, uint32_t, R>;
  constexpr ElementwiseLoop kLong = binary_loop<F, uint64_t, R>;
  return {f32, binary_loop<F, double, R>, kWord, kLong, kWord, kLong};
}

// Loops over all types where signs matter.
template <typename F, typename R = void>
constexpr LoopTable signed_loops(ElementwiseLoop f32) {
  return {f32,
          binary_loop<F, double, R>,
          binary_loop<F, int32_t, R>,
          binary_loop<F, int64_t, R>,
          binary_loop<F, uint32_t, R>,
          binary_loop<F, uint64_t, R>};
}

}  // namespace wasmvino::ops
