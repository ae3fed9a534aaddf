// SPDX-License-Identifier: Apache-2.0
// What becomes of the sums of a matmul, convolution or depthwise convolution before they are stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "kernels/functions.h"

namespace wasmvino::kernels {

// A tensor that is added to the sums: [rows][stride], f32 or u8. At most one of the two pointers is set.
struct Residual {
  const uint8_t* u8 = nullptr;
  const float* f32 = nullptr;
  size_t stride = 0;

  explicit operator bool() const { return f32 != nullptr || u8 != nullptr; }
  // The same tensor, from an element on.
  Residual from(size_t row, size_t column) const {
    const size_t at = row * stride + column;
    return {u8 != nullptr ? u8 + at : nullptr, f32 != nullptr ? f32 + at : nullptr, stride};
  }
};

struct Bounds {
  float low = -std::numeric_limits<float>::infinity(), high = std::numeric_limits<float>::infinity();

  bool clamps() const { return low != Bounds().low || high != Bounds().high; }
};

// The bounds of an activation that is a clamp.
inline std::optional<Bounds> bounds_of(const UnaryFunction& f) {
  switch (f.kind) {
    case Unary::kIdentity:
      return Bounds();
    case Unary::kRelu:
      return Bounds{0.0f, Bounds().high};
    case Unary::kClamp:
      return Bounds{f.alpha, f.beta};
    default:
      return std::nullopt;
  }
}

// For the sum of row i and column j:
//   real = float(sum + start[j]) * scale[j] for a sum in i32, or the sum itself in f32
//   C[i][j] = activation(clamp(real + bias[j] + residual[i][j] * residual_scale[j]))
// and for C in u8, the result is rounded, ties to even. Kernels for f32 read no residual in u8 and no
// residual_scale. Kernels for integers always read start, scale and bias, whose size is that of all columns,
// rounded up to 8. If steps() is true, they ignore the bounds and compute
//   v = prelu(activation(real + bias[j] + residual[i][j] * residual_scale[j]), slopes[j])
//   C[i][j] = v, or for C in u8, v * inverse[j] + shift[j], clamped to 0..most and rounded.
struct Epilogue {
  const int32_t* start = nullptr;
  const float* scale = nullptr;
  const float* bias = nullptr;
  Residual residual;
  const float* residual_scale = nullptr;
  Bounds bounds;              // for C in u8, within 0..255
  UnaryFunction activation;   // in kernels for f32, runs over rows that have just been stored
  bool bias_per_row = false;  // bias[i] instead of bias[j]; only in matmuls in f32
  // Only in kernels for integers. Their sizes are those of the bias.
  const float* slopes = nullptr;
  const float *inverse = nullptr, *shift = nullptr;  // for C in u8, if steps() is true
  float most = 0;

  // Whether more than a clamp lies between sums in i32 and C.
  bool steps() const {
    return activation.kind != Unary::kIdentity || slopes != nullptr || inverse != nullptr;
  }

  // Sets the activation. Clamps are part of the store.
  void activate(const UnaryFunction& f) {
    const std::optional<Bounds> clamp = bounds_of(f);
    bounds = clamp.value_or(Bounds());
    activation = clamp ? UnaryFunction() : f;
  }
};

// C [rows][stride], f32 or u8. Exactly one of the two pointers is set.
struct Output {
  uint8_t* u8 = nullptr;
  float* f32 = nullptr;
  size_t stride = 0;

  // The same matrix, from an element on.
  Output from(size_t row, size_t column) const {
    const size_t at = row * stride + column;
    return {u8 != nullptr ? u8 + at : nullptr, f32 != nullptr ? f32 + at : nullptr, stride};
  }
};

}  // namespace wasmvino::kernels
