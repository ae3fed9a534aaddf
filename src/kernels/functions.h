// SPDX-License-Identifier: Apache-2.0
// Names of the functions that kernels compute. The headers of operations contain them, so passes may use them
// too: tests/layers_test.cmake lets passes reach no other header of the kernels.
#pragma once

#include <cstdint>

namespace wasmvino::kernels {

// --- Functions of one value --------------------------------------------------------------------------------

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

// --- Functions of two values -------------------------------------------------------------------------------

enum class Binary : uint8_t {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,   // f32 only
  kMaximum,  // NaN if either operand is NaN
  kMinimum,
  kSquaredDifference,
  kPower,     // f32 only; 0.5 ulp
  kPrelu,     // a < 0 ? a b : a; f32 only
  kMod,       // the exact remainder, with the sign of a; f32 only
  kFloorMod,  // with the sign of b; f32 only
};

enum class Logical : uint8_t { kAnd, kOr, kXor };

enum class Comparison : uint8_t { kEqual, kNotEqual, kGreater, kGreaterEqual, kLess, kLessEqual };

// --- Functions of windows ----------------------------------------------------------------------------------

enum class Pooling : uint8_t {
  kMaximum,
  kAverage,          // over the elements inside the input
  kAverageWithPads,  // over all taps of the window, pads included
};

}  // namespace wasmvino::kernels
