// SPDX-License-Identifier: Apache-2.0
// Functions of one f32 value over arrays: activations and arithmetic. GEMM, convolutions and recurrent cells
// use the same names for the functions that they apply to results before storing them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wasmvino::kernels {

enum class Unary : uint8_t {
  kIdentity,
  // Activations.
  kRelu,
  kLeakyRelu,  // x < 0 ? alpha x : x
  kClamp,      // alpha <= y <= beta
  kSigmoid,
  kTanh,
  kElu,   // x < 0 ? alpha (e^x - 1) : x
  kSelu,  // beta (x > 0 ? x : alpha (e^x - 1))
  kGeluErf,
  kGeluTanh,
  kSwish,        // x sigmoid(alpha x)
  kMish,         // x tanh(log(1 + e^x))
  kHSwish,       // x clamp(x + 3, 0, 6) / 6
  kHSigmoid,     // clamp(x + 3, 0, 6) / 6
  kHardSigmoid,  // clamp(alpha x + beta, 0, 1)
  kSoftPlus,     // log(1 + e^x)
  kSoftSign,     // x / (1 + |x|)
  // Arithmetic.
  kAbs,
  kNegative,
  kSign,  // -1, 0 or 1; keeps NaN
  kFloor,
  kCeiling,
  kRoundHalfToEven,
  kRoundHalfAwayFromZero,
  kSqrt,
  kSquare,
  kReciprocal,
  kAffine,  // alpha x + beta
  kPower,   // x^alpha
  kExp,
  kLog,
  kErf,
  kSin,
  kCos,
};

struct UnaryFunction {
  Unary kind = Unary::kIdentity;
  float alpha = 0.0f;
  float beta = 0.0f;
};

// y[i] = function(x[i]) for i < n; y may be x itself, but must not overlap it otherwise. Errors against the
// exact result: exp 1.0 ulp, log 0.8, tanh 2.5, sigmoid 2.1, erf 1.4, sin and cos 2.1, power 0.5, softplus
// 1.7, mish 3.9; gelu 6e-7 below 0, 4 ulp above. NaN stays NaN and infinities give the limits. exp underflows
// gradually; sigmoid of less than -87.3 is 0.
void apply_unary(const UnaryFunction& function, const float* x, float* y, size_t n);

}  // namespace wasmvino::kernels
