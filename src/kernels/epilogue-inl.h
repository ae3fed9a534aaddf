// SPDX-License-Identifier: Apache-2.0
// The vector form of Epilogue: how kernels clamp, add to and store their sums.
#pragma once

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

// Stores `width` sums of a row, at most eight, in C.
inline HWY_NOINLINE void finish_some(VI a, VI b, const Epilogue& e, const Output& c, size_t row,
                                     size_t column, size_t width) {
  const float* scale = e.scale + column;
  const float* bias = e.bias + column;
  VF x = scaled(to_float(a), load(scale), load(bias));
  VF y = scaled(to_float(b), load(scale + kLanes), load(bias + kLanes));
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
  const Clamp clamp(e.bounds);
  x = clamp(x);
  y = clamp(y);
  const Output to = c.from(row, column);
  if (to.u8 != nullptr) return store_bytes(round_to_byte(x), round_to_byte(y), to.u8, width);
  store_part(x, to.f32, width < kLanes ? width : kLanes);
  if (width > kLanes) store_part(y, to.f32 + kLanes, width - kLanes);
}

// Stores eight sums of each of kRows rows in C.
template <bool kBytes, bool kResidual, size_t kRows>
HWY_INLINE void finish_eights(const VI (&sum)[kRows][2], const Epilogue& e, const Clamp& clamp,
                              const Output& c, size_t row, size_t column) {
  const VF scale_x = load(e.scale + column), scale_y = load(e.scale + column + kLanes);
  const VF bias_x = load(e.bias + column), bias_y = load(e.bias + column + kLanes);
  const uint8_t* residual = kResidual ? e.residual.u8 + row * e.residual.stride + column : nullptr;
  HWY_UNROLL(8)
  for (size_t r = 0; r < kRows; ++r) {
    VF x = scaled(to_float(sum[r][0]), scale_x, bias_x), y = scaled(to_float(sum[r][1]), scale_y, bias_y);
    if constexpr (kResidual) {
      const FloatPair v = load_bytes(residual + r * e.residual.stride);
      x = hn::Add(x, hn::Mul(v.first, load(e.residual_scale + column)));
      y = hn::Add(y, hn::Mul(v.second, load(e.residual_scale + column + kLanes)));
    }
    x = clamp(x);
    y = clamp(y);
    const size_t at = (row + r) * c.stride + column;
    if constexpr (kBytes) {
      store_bytes(round_to_byte(x), round_to_byte(y), c.u8 + at, 8);
    } else {
      store(x, c.f32 + at);
      store(y, c.f32 + at + kLanes);
    }
  }
}

// Stores the sums of `width` columns, at most eight, of kRows rows in C. Branches on the epilogue once per
// tile: doing so for each row took as long as 70 steps of the sums.
template <size_t kRows>
HWY_INLINE void finish_sums(const VI (&sum)[kRows][2], const Epilogue& e, const Output& c, size_t row,
                            size_t column, size_t width) {
  if (width >= 8 && e.residual.f32 == nullptr) {
    const Clamp clamp(e.bounds);
    const bool bytes = c.u8 != nullptr, residual = e.residual.u8 != nullptr;
    if (!bytes && !residual) return finish_eights<false, false>(sum, e, clamp, c, row, column);
    if (bytes && !residual) return finish_eights<true, false>(sum, e, clamp, c, row, column);
    if (bytes) return finish_eights<true, true>(sum, e, clamp, c, row, column);
  }
  HWY_UNROLL(8)
  for (size_t r = 0; r < kRows; ++r) {
    finish_some(sum[r][0], sum[r][1], e, c, row + r, column, width < 8 ? width : 8);
  }
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
