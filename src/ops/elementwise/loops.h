// SPDX-License-Identifier: Apache-2.0
// Makes inner loops from a function of one element: `struct F { template <typename T> static T apply(T a, T
// b); }`.
#pragma once

#include <type_traits>

#include "kernels/binary.h"
#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops {

template <typename F, typename T, typename R = T>
void unary_loop(const LoopOperand* in, void* out, size_t count, const LoopParameters&) {
  const T* x = in[0].as<T>();
  R* y = static_cast<R*>(out);
  for (size_t i = 0; i < count; ++i) y[i] = F::template apply<T>(x[i]);
}

// R is the result's type; void stands for the operands' type.
template <typename F, typename T, typename R = void>
void binary_loop(const LoopOperand* in, void* out, size_t count, const LoopParameters&) {
  const T* a = in[0].as<T>();
  const T* b = in[1].as<T>();
  const size_t a_step = in[0].step;
  const size_t b_step = in[1].step;
  auto* y = static_cast<std::conditional_t<std::is_void_v<R>, T, R>*>(out);
  for (size_t i = 0; i < count; ++i) y[i] = F::template apply<T>(a[i * a_step], b[i * b_step]);
}

// Calls kernels::apply_binary with parameters.binary.
template <typename T>
void binary_kernel_loop(const LoopOperand* in, void* out, size_t count, const LoopParameters& parameters) {
  kernels::apply_binary(parameters.binary, in[0].as<T>(), in[0].step, in[1].as<T>(), in[1].step,
                        static_cast<T*>(out), count);
}

// Calls kernels::compare with parameters.comparison.
template <typename T>
void compare_kernel_loop(const LoopOperand* in, void* out, size_t count, const LoopParameters& parameters) {
  kernels::compare(parameters.comparison, in[0].as<T>(), in[0].step, in[1].as<T>(), in[1].step,
                   static_cast<uint8_t*>(out), count);
}

// Arithmetic with kernels for f32, i32 and i64 whose integer results do not depend on signedness. The kernels
// of i32 and i64 also serve u32 and u64.
template <typename F>
constexpr LoopTable signless_loops() {
  return {.f32 = binary_kernel_loop<float>,
          .f64 = binary_loop<F, double>,
          .i32 = binary_kernel_loop<int32_t>,
          .i64 = binary_kernel_loop<int64_t>,
          .u32 = binary_kernel_loop<int32_t>,
          .u64 = binary_kernel_loop<int64_t>};
}

// Arithmetic with kernels for f32, i32 and i64 that depends on signedness.
template <typename F>
constexpr LoopTable signed_loops() {
  LoopTable loops = signless_loops<F>();
  loops.u32 = binary_loop<F, uint32_t>;
  loops.u64 = binary_loop<F, uint64_t>;
  return loops;
}

// Comparisons that do not depend on signedness. The kernels of i32 and i64 also serve u32 and u64.
template <typename F>
constexpr LoopTable signless_tests() {
  return {.f32 = compare_kernel_loop<float>,
          .f64 = binary_loop<F, double, bool>,
          .i32 = compare_kernel_loop<int32_t>,
          .i64 = compare_kernel_loop<int64_t>,
          .u32 = compare_kernel_loop<int32_t>,
          .u64 = compare_kernel_loop<int64_t>};
}

// Comparisons that depend on signedness.
template <typename F>
constexpr LoopTable signed_tests() {
  LoopTable loops = signless_tests<F>();
  loops.u32 = binary_loop<F, uint32_t, bool>;
  loops.u64 = binary_loop<F, uint64_t, bool>;
  return loops;
}

// Arithmetic with kernels for f32 and i32 at most.
template <typename F>
constexpr LoopTable scalar_loops(ElementwiseLoop f32, ElementwiseLoop i32 = binary_loop<F, int32_t>) {
  return {.f32 = f32,
          .f64 = binary_loop<F, double>,
          .i32 = i32,
          .i64 = binary_loop<F, int64_t>,
          .u32 = binary_loop<F, uint32_t>,
          .u64 = binary_loop<F, uint64_t>};
}

}  // namespace wasmvino::ops
