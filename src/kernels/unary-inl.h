// SPDX-License-Identifier: Apache-2.0
// The functions of unary.h on one vector, selected at compile time, and the switch that selects them.
#pragma once

#include "kernels/math-inl.h"
#include "kernels/unary.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {

// Adds the largest float below 1/2, so that 0.49999997 does not round to 1. Ties still round up in the sum.
HWY_INLINE VF round_half_away(VF x) {
  return hn::Trunc(hn::Add(x, hn::CopySign(constant<0.49999997f>(), x)));
}

HWY_INLINE VF sign(VF x) {
  return hn::IfThenElse(hn::Gt(hn::Abs(x), zero()), hn::CopySign(constant<1.0f>(), x), x);
}

// x^alpha. Squares and roots are far more frequent than other exponents.
HWY_INLINE VF power(VF x, float alpha) {
  if (alpha == 2.0f) return hn::Mul(x, x);
  if (alpha == 1.0f) return x;
  if (alpha == 0.5f) return hn::Sqrt(x);
  if (alpha == -0.5f) return divide(constant<1.0f>(), hn::Sqrt(x));
  if (alpha == -1.0f) return divide(constant<1.0f>(), x);
  if (alpha == 3.0f) return hn::Mul(hn::Mul(x, x), x);
  return pow(x, set(alpha));
}

template <Unary kKind>
HWY_INLINE VF evaluate(VF x, float alpha, float beta) {
  if constexpr (kKind == Unary::kRelu) return relu(x);
  if constexpr (kKind == Unary::kLeakyRelu)
    return hn::IfThenElse(hn::Lt(x, zero()), hn::Mul(x, set(alpha)), x);
  if constexpr (kKind == Unary::kClamp) return clamp(x, set(alpha), set(beta));
  if constexpr (kKind == Unary::kSigmoid) return sigmoid(x);
  if constexpr (kKind == Unary::kTanh) return tanh(x);
  if constexpr (kKind == Unary::kElu) return elu(x, set(alpha));
  if constexpr (kKind == Unary::kSelu) return hn::Mul(set(beta), elu(x, set(alpha)));
  if constexpr (kKind == Unary::kGeluErf) return gelu_erf(x);
  if constexpr (kKind == Unary::kGeluTanh) return gelu_tanh(x);
  if constexpr (kKind == Unary::kSwish) return swish(x, set(alpha));
  if constexpr (kKind == Unary::kMish) return mish(x);
  if constexpr (kKind == Unary::kHSwish) return hswish(x);
  if constexpr (kKind == Unary::kHSigmoid) return hsigmoid(x);
  if constexpr (kKind == Unary::kHardSigmoid) return hard_sigmoid(x, set(alpha), set(beta));
  if constexpr (kKind == Unary::kSoftPlus) return softplus(x);
  if constexpr (kKind == Unary::kSoftSign) return divide(x, hn::Add(hn::Abs(x), constant<1.0f>()));
  if constexpr (kKind == Unary::kAbs) return hn::Abs(x);
  if constexpr (kKind == Unary::kNegative) return hn::Neg(x);
  if constexpr (kKind == Unary::kSign) return sign(x);
  if constexpr (kKind == Unary::kFloor) return hn::Floor(x);
  if constexpr (kKind == Unary::kCeiling) return hn::Ceil(x);
  if constexpr (kKind == Unary::kRoundHalfToEven) return hn::Round(x);
  if constexpr (kKind == Unary::kRoundHalfAwayFromZero) return round_half_away(x);
  if constexpr (kKind == Unary::kSqrt) return hn::Sqrt(x);
  if constexpr (kKind == Unary::kSquare) return hn::Mul(x, x);
  if constexpr (kKind == Unary::kReciprocal) return divide(constant<1.0f>(), x);
  if constexpr (kKind == Unary::kAffine) return mul_add(x, set(alpha), set(beta));
  if constexpr (kKind == Unary::kPower) return power(x, alpha);
  if constexpr (kKind == Unary::kExp) return exp(x);
  if constexpr (kKind == Unary::kLog) return log(x);
  if constexpr (kKind == Unary::kErf) return erf(x);
  if constexpr (kKind == Unary::kSin) return sin(x);
  if constexpr (kKind == Unary::kCos) return cos(x);
  return x;
}

// Calls body.template operator()<kind>().
template <typename Body>
void dispatch_unary(Unary kind, Body&& body) {
  switch (kind) {
    case Unary::kIdentity:
      return body.template operator()<Unary::kIdentity>();
    case Unary::kRelu:
      return body.template operator()<Unary::kRelu>();
    case Unary::kLeakyRelu:
      return body.template operator()<Unary::kLeakyRelu>();
    case Unary::kClamp:
      return body.template operator()<Unary::kClamp>();
    case Unary::kSigmoid:
      return body.template operator()<Unary::kSigmoid>();
    case Unary::kTanh:
      return body.template operator()<Unary::kTanh>();
    case Unary::kElu:
      return body.template operator()<Unary::kElu>();
    case Unary::kSelu:
      return body.template operator()<Unary::kSelu>();
    case Unary::kGeluErf:
      return body.template operator()<Unary::kGeluErf>();
    case Unary::kGeluTanh:
      return body.template operator()<Unary::kGeluTanh>();
    case Unary::kSwish:
      return body.template operator()<Unary::kSwish>();
    case Unary::kMish:
      return body.template operator()<Unary::kMish>();
    case Unary::kHSwish:
      return body.template operator()<Unary::kHSwish>();
    case Unary::kHSigmoid:
      return body.template operator()<Unary::kHSigmoid>();
    case Unary::kHardSigmoid:
      return body.template operator()<Unary::kHardSigmoid>();
    case Unary::kSoftPlus:
      return body.template operator()<Unary::kSoftPlus>();
    case Unary::kSoftSign:
      return body.template operator()<Unary::kSoftSign>();
    case Unary::kAbs:
      return body.template operator()<Unary::kAbs>();
    case Unary::kNegative:
      return body.template operator()<Unary::kNegative>();
    case Unary::kSign:
      return body.template operator()<Unary::kSign>();
    case Unary::kFloor:
      return body.template operator()<Unary::kFloor>();
    case Unary::kCeiling:
      return body.template operator()<Unary::kCeiling>();
    case Unary::kRoundHalfToEven:
      return body.template operator()<Unary::kRoundHalfToEven>();
    case Unary::kRoundHalfAwayFromZero:
      return body.template operator()<Unary::kRoundHalfAwayFromZero>();
    case Unary::kSqrt:
      return body.template operator()<Unary::kSqrt>();
    case Unary::kSquare:
      return body.template operator()<Unary::kSquare>();
    case Unary::kReciprocal:
      return body.template operator()<Unary::kReciprocal>();
    case Unary::kAffine:
      return body.template operator()<Unary::kAffine>();
    case Unary::kPower:
      return body.template operator()<Unary::kPower>();
    case Unary::kExp:
      return body.template operator()<Unary::kExp>();
    case Unary::kLog:
      return body.template operator()<Unary::kLog>();
    case Unary::kErf:
      return body.template operator()<Unary::kErf>();
    case Unary::kSin:
      return body.template operator()<Unary::kSin>();
    case Unary::kCos:
      return body.template operator()<Unary::kCos>();
  }
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
