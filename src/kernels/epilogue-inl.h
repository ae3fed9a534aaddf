// SPDX-License-Identifier: Apache-2.0
// The vector form of Epilogue: how kernels clamp, add to and store their sums.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "kernels/epilogue.h"
#include "kernels/integer-inl.h"
#include "kernels/simd.h"
#include "kernels/unary.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {

// Clamps vectors.
struct Clamp {
  VF low, high;
  explicit Clamp(const Bounds& bounds) : low(set(bounds.low)), high(set(bounds.high)) {}
  HWY_INLINE VF operator()(VF v) const { return clamp(v, low, high); }
};

// Applies the activation to `count` stored elements of a row. They are still in the first-level
// cache. Instances of the kernels for each activation would be 30 times their code, and one load and one
// store per element are negligible next to the depth of a sum.
inline void activate_stored(const Epilogue& e, float* row, size_t count) {
  if (e.activation.kind != Unary::kIdentity) apply_unary(e.activation, row, row, count);
}

// --- sums in f32 -------------------------------------------------------------------------------------------

// Finishes one sum, up to the activation.
inline float finish_sum(const Epilogue& e, float sum, size_t row, size_t column) {
  if (e.bias != nullptr) sum += e.bias[e.bias_per_row ? row : column];
  if (e.residual) sum += e.residual.f32[row * e.residual.stride + column];
  // In this order, a NaN stays a NaN.
  return sum < e.bounds.low ? e.bounds.low : sum > e.bounds.high ? e.bounds.high : sum;
}

// --- sums in i32 -------------------------------------------------------------------------------------------

// The values of `width` sums of a row, at most eight, before they are clamped.
HWY_INLINE FloatPair values_of_sums(const int32_t* sums, const Epilogue& e, size_t row, size_t column,
                                    size_t width) {
  const float* scale = e.scale + column;
  const float* bias = e.bias + column;
  VF x = scaled(to_float(hn::LoadU(I32x4(), sums)), load(scale), load(bias));
  VF y = scaled(to_float(hn::LoadU(I32x4(), sums + kLanes)), load(scale + kLanes), load(bias + kLanes));
  const Residual residual = e.residual.from(row, column);
  if (residual.u8 != nullptr) {
    const FloatPair r = load_bytes(Part<uint8_t>(residual.u8, width).values);
    x = hn::Add(x, hn::Mul(r.first, load(e.residual_scale + column)));
    y = hn::Add(y, hn::Mul(r.second, load(e.residual_scale + column + kLanes)));
  } else if (residual.f32 != nullptr) {
    const Part<float> part(residual.f32, width);
    x = hn::Add(x, hn::Mul(load(part.values), load(e.residual_scale + column)));
    y = hn::Add(y, hn::Mul(load(part.values + kLanes), load(e.residual_scale + column + kLanes)));
  }
  return {x, y};
}

HWY_INLINE void store_floats(const FloatPair& v, float* to, size_t width) {
  if (width >= 2 * kLanes) return store(v, to);
  store_part(v.first, to, width < kLanes ? width : kLanes);
  if (width > kLanes) store_part(v.second, to + kLanes, width - kLanes);
}

// Stores `width` sums of a row, at most eight, in C.
inline HWY_NOINLINE void finish_some(const int32_t* sums, const Epilogue& e, const Output& c, size_t row,
                                     size_t column, size_t width) {
  const FloatPair v = values_of_sums(sums, e, row, column, width);
  const Output to = c.from(row, column);
  const VF low = set(e.bounds.low), high = set(e.bounds.high);
  if (to.u8 != nullptr) {
    return store_bytes(round_saturating(clamp_level(v.first, low, high)),
                       round_saturating(clamp_level(v.second, low, high)), to.u8, width);
  }
  store_floats(clamp(v, low, high), to.f32, width);
}

// The scales, biases and bounds of eight columns.
template <bool kResidual>
struct EightColumns {
  VF scale[2], bias[2], residual_scale[2], low, high;
  VB most;  // the upper bound of C in u8

  EightColumns(const Epilogue& e, size_t column) : low(set(e.bounds.low)), high(set(e.bounds.high)) {
    const VI rounded = round_saturating(high);
    const V16 narrow = hn::OrderedDemote2To(I16x8(), rounded, rounded);
    most = hn::OrderedDemote2To(U8x16(), narrow, narrow);
    HWY_UNROLL(2)
    for (size_t i = 0; i < 2; ++i) {
      scale[i] = load(e.scale + column + i * kLanes);
      bias[i] = load(e.bias + column + i * kLanes);
      if constexpr (kResidual) residual_scale[i] = load(e.residual_scale + column + i * kLanes);
    }
  }

  // The values of eight sums before they are clamped.
  HWY_INLINE FloatPair values_of(VI first, VI second, const uint8_t* residual) const {
    FloatPair v = {scaled(to_float(first), scale[0], bias[0]), scaled(to_float(second), scale[1], bias[1])};
    if constexpr (kResidual) {
      const FloatPair r = load_bytes(residual);
      v.first = hn::Add(v.first, hn::Mul(r.first, residual_scale[0]));
      v.second = hn::Add(v.second, hn::Mul(r.second, residual_scale[1]));
    }
    return v;
  }
  HWY_INLINE void store_to(VI first, VI second, const uint8_t* residual, float* to) const {
    const FloatPair v = values_of(first, second, residual);
    store(clamp(v.first, low, high), to);
    store(clamp(v.second, low, high), to + kLanes);
  }
  // For C in u8, only the lower bound is applied to floats. What is too large for rounding is also too large
  // for u8, so narrowing turns it into 255. The upper bound is applied to 16 bytes at once.
  HWY_INLINE V16 integers_of(VI first, VI second, const uint8_t* residual) const {
    const FloatPair v = values_of(first, second, residual);
    return hn::OrderedDemote2To(I16x8(), round_saturating(at_least_or(low, v.first)),
                                round_saturating(at_least_or(low, v.second)));
  }
  HWY_INLINE VB bytes_of(V16 first, V16 second) const {
    return hn::Min(hn::OrderedDemote2To(U8x16(), first, second), most);
  }
  HWY_INLINE void store_to(VI first, VI second, const uint8_t* residual, uint8_t* to) const {
    const V16 v = integers_of(first, second, residual);
    hn::StoreU(hn::LowerHalf(U8x8(), bytes_of(v, v)), U8x8(), to);
  }
};

// Stores eight sums of each row in C. Its type is uint8_t or float.
template <bool kResidual, typename T>
HWY_INLINE void finish_eights(const int32_t* sums, size_t rows, const Epilogue& e, T* to, size_t stride,
                              size_t row, size_t column) {
  const EightColumns<kResidual> columns(e, column);
  const uint8_t* residual = kResidual ? e.residual.from(row, column).u8 : nullptr;
  const size_t next = kResidual ? e.residual.stride : 0;
  const auto load_sums = [&](size_t at) HWY_ATTR { return hn::LoadU(I32x4(), sums + at); };
  size_t r = 0;
  if constexpr (std::is_same_v<T, uint8_t>) {
    HWY_UNROLL(1)
    for (; r + 2 <= rows; r += 2, sums += 16, to += 2 * stride, residual += 2 * next) {
      const V16 first = columns.integers_of(load_sums(0), load_sums(4), residual);
      const V16 second = columns.integers_of(load_sums(8), load_sums(12), residual + next);
      store_halves(columns.bytes_of(first, second), to, to + stride);
    }
  }
  HWY_UNROLL(1)
  for (; r < rows; ++r, sums += 8, to += stride, residual += next)
    columns.store_to(load_sums(0), load_sums(4), residual, to);
}

// Stores sums of `width` columns, at most eight, if steps() is true.
void finish_in_steps(const int32_t* sums, size_t rows, const Epilogue& e, const Output& c, size_t row,
                     size_t column, size_t width);

// Stores the sums [rows][8] of `width` columns, at most eight, in C. Their starts are included. Tiles leave
// their sums in memory: if they finished them in registers, each height of a tile would need this code, and
// V8 would move and spill the registers at its branches. In that form, 1x1 16 -> 96 at 112x112 took 0.74 ms
// instead of 0.61.
inline HWY_NOINLINE void finish_rows(const int32_t* sums, size_t rows, const Epilogue& e, const Output& c,
                                     size_t row, size_t column, size_t width) {
  if (e.steps()) return finish_in_steps(sums, rows, e, c, row, column, width < 8 ? width : 8);
  if (width >= 8 && e.residual.f32 == nullptr) {
    const Output to = c.from(row, column);
    const bool residual = e.residual.u8 != nullptr;
    if (to.u8 == nullptr && !residual)
      return finish_eights<false>(sums, rows, e, to.f32, to.stride, row, column);
    if (to.u8 != nullptr && !residual)
      return finish_eights<false>(sums, rows, e, to.u8, to.stride, row, column);
    if (to.u8 != nullptr) return finish_eights<true>(sums, rows, e, to.u8, to.stride, row, column);
  }
  for (size_t r = 0; r < rows; ++r, sums += 8)
    finish_some(sums, e, c, row + r, column, width < 8 ? width : 8);
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
