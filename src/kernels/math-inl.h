// SPDX-License-Identifier: Apache-2.0
//
// Functions of one vector of floats, for arrays (unary.cc), recurrent cells, softmax, normalisations and
// epilogues. Errors are in ulp against a correctly rounded result: the maximum over the sweeps of
// tests/kernels/math_test.cc, with and without fused multiply-add. The polynomials are minimax fits for
// exactly these forms and ranges.

#pragma once

#include <cmath>
#include <limits>

#include "kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kQuietNan = std::numeric_limits<float>::quiet_NaN();

// c[0] + c[1] x + ... + c[N-1] x^(N-1), by Horner's rule. The shorter dependency chains of Estrin's scheme
// gain nothing in array loops, where out-of-order execution overlaps adjacent vectors.
template <float kFirst, float... kOthers>
HWY_INLINE VF polynomial(VF x) {
  if constexpr (sizeof...(kOthers) == 0) {
    return constant<kFirst>();
  } else {
    return mul_add(polynomial<kOthers...>(x), x, constant<kFirst>());
  }
}

HWY_INLINE VF as_float(VI v) { return hn::BitCast(F32x4(), v); }
HWY_INLINE VI as_int(VF v) { return hn::BitCast(I32x4(), v); }

// --- exp ---------------------------------------------------------------------------------------------------

// x = n ln 2 + r with |r| <= ln 2 / 2. Adding 1.5 * 2^23 rounds to the nearest integer and leaves n in the
// low bits, which is cheaper than f32x4.nearest and a conversion.
struct ExpParts {
  VF shifted;  // n + 1.5 * 2^23
  VF r;
};

// x - n ln 2, with ln 2 in two parts. The first part has 11 bits, so that n times it is exact without a fused
// multiply-add.
HWY_INLINE VF subtract_ln2(VF x, VF n) {
  return neg_mul_add(n, constant<-2.12194440e-4f>(), neg_mul_add(n, constant<0.693359375f>(), x));
}

HWY_INLINE ExpParts reduce_exp(VF x) {
  const VF shifted = mul_add(x, constant<1.44269504f>(), constant<kRoundingShift>());
  return {shifted, subtract_ln2(x, hn::Sub(shifted, constant<kRoundingShift>()))};
}

// (e^r - 1 - r) / r^2 on |r| <= 0.3467. The fit's relative error in e^r is 3.1e-9.
HWY_INLINE VF exp_tail(VF r) {
  return polynomial<0.49999994f, 0.16666521f, 0.04166839f, 0.0083687445f, 0.0013814549f>(r);
}

// e^r for the reduced argument.
HWY_INLINE VF exp_reduced(VF r) { return hn::Add(mul_add(hn::Mul(r, r), exp_tail(r), r), constant<1.0f>()); }

// e^x, 1.0 ulp. Underflows gradually, overflows to infinity, keeps NaN.
HWY_INLINE VF exp(VF x) {
  const ExpParts parts = reduce_exp(clamp(x, constant<-104.0f>(), constant<88.8f>()));
  // 2^n as two factors, because n ranges from -150 (denormal results) to 128.
  const VI n = hn::Sub(as_int(parts.shifted), integer_constant<kRoundingShiftBits>());
  const VI half = hn::ShiftRight<1>(n);
  const VI bias = integer_constant<127>();
  const VF scale1 = as_float(hn::ShiftLeft<23>(hn::Add(half, bias)));
  const VF scale2 = as_float(hn::ShiftLeft<23>(hn::Add(hn::Sub(n, half), bias)));
  return hn::Mul(hn::Mul(exp_reduced(parts.r), scale1), scale2);
}

// 2^n from the result of reduce_exp, for -126 <= n <= 127.
HWY_INLINE VF exp_scale(VF shifted) {
  return as_float(hn::Add(hn::ShiftLeft<23>(as_int(shifted)), integer_constant<0x3F800000>()));
}

// e^x for x <= 0 (and NaN). Below ln(2^-126), the result is 0. Adding 127 along with the rounding shift
// leaves n as a biased exponent, and the last multiplication also adds. This reduced a softmax of 1M elements
// from 1.15 to 0.98 ms in Chromium, with one vector per step instead of two, whose sums V8 kept in memory.
HWY_INLINE VF exp_non_positive(VF x) {
  const VF bias = constant<kRoundingShift + 127.0f>();
  const VF shifted = mul_add(x, constant<1.44269504f>(), bias);
  const VF scale = as_float(hn::ShiftLeft<23>(as_int(shifted)));
  const VF r = subtract_ln2(x, hn::Sub(shifted, bias));
  const VF y = mul_add(hn::Mul(r, scale), mul_add(exp_tail(r), r, constant<1.0f>()), scale);
  return hn::AndNot(hn::VecFromMask(F32x4(), hn::Lt(x, constant<-87.336544f>())), y);
}

// e^x - 1 for x <= 0 (and NaN), 1.5 ulp.
HWY_INLINE VF expm1_non_positive(VF x) {
  const ExpParts parts = reduce_exp(at_least(constant<-20.0f>(), x));
  const VF scale = exp_scale(parts.shifted);
  const VF p = mul_add(hn::Mul(parts.r, parts.r), exp_tail(parts.r), parts.r);
  return mul_add(scale, p, hn::Sub(scale, constant<1.0f>()));
}

// --- log ---------------------------------------------------------------------------------------------------

// log(1 + f) - f on sqrt(1/2) <= 1 + f <= sqrt(2). The fit's relative error in log(1 + f) is 5.9e-9.
HWY_INLINE VF log1p_tail(VF f) {
  const VF f2 = hn::Mul(f, f);
  return neg_mul_add(
      constant<0.5f>(), f2,
      hn::Mul(hn::Mul(f2, f), polynomial<0.3333333f, -0.2500082f, 0.20001227f, -0.16623358f, 0.14201754f,
                                         -0.13160175f, 0.1276159f, -0.07634527f>(f)));
}

// log(x), 0.8 ulp. Denormal arguments are exact; log(0) = -inf, log(negative) = NaN.
HWY_INLINE VF log(VF x) {
  const MF tiny = hn::Lt(x, constant<std::numeric_limits<float>::min()>());
  const VF normal = hn::IfThenElse(tiny, hn::Mul(x, constant<8388608.0f>()), x);
  const VF extra = hn::IfThenElseZero(tiny, constant<-23.0f>());
  // Subtracting the bits of sqrt(1/2) first puts the split at sqrt(1/2) instead of 1.
  const VI root = integer_constant<0x3F3504F3>();
  const VI bits = hn::Sub(as_int(normal), root);
  const VF exponent = hn::Add(hn::ConvertTo(F32x4(), hn::ShiftRight<23>(bits)), extra);
  const VI mantissa = hn::Add(hn::And(bits, integer_constant<0x007FFFFF>()), root);
  const VF f = hn::Sub(as_float(mantissa), constant<1.0f>());
  VF y = mul_add(exponent, constant<-2.12194440e-4f>(), log1p_tail(f));
  y = mul_add(exponent, constant<0.693359375f>(), hn::Add(f, y));
  y = hn::IfThenElse(hn::Lt(x, constant<kInfinity>()), y, x);  // infinity and NaN
  const VF edge = hn::IfThenElse(hn::Eq(x, zero()), constant<-kInfinity>(),
                                 hn::IfThenElse(hn::Lt(x, zero()), constant<kQuietNan>(), x));
  return hn::IfThenElse(hn::Gt(x, zero()), y, edge);
}

// log(1 + e) for 0 <= e <= 1, 1.7 ulp.
HWY_INLINE VF log1p_unit(VF e) {
  const MF large = hn::Gt(e, constant<0.41421356f>());
  const VF f = hn::IfThenElse(large, neg_mul_add(constant<-0.5f>(), e, constant<-0.5f>()), e);
  return hn::Add(hn::Add(f, log1p_tail(f)), hn::IfThenElseZero(large, constant<0.69314718f>()));
}

// --- tanh, sigmoid, erf ------------------------------------------------------------------------------------

// tanh(x), 2.5 ulp: with t = e^(-2|x|) - 1, tanh |x| = -t / (t + 2). A rational function of degree 9 over 8
// (tanh_fast below) costs a third less, but is off by 5 ulp near saturation.
HWY_INLINE VF tanh(VF x) {
  const VF t = expm1_non_positive(hn::Mul(hn::Abs(x), constant<-2.0f>()));
  return hn::CopySign(divide(t, hn::Add(t, constant<2.0f>())), x);
}

// tanh(x) within 3e-7, for results that are added to larger values. An odd rational function fitted on [0,
// 9.02] with a relative error of 2.1e-8. All its coefficients are positive, so nothing cancels. Beyond 9.02,
// tanh rounds to 1.
HWY_INLINE VF tanh_fast(VF x) {
  const VF c = clamp(x, constant<-9.02f>(), constant<9.02f>());
  const VF u = hn::Mul(c, c);
  const VF y = divide(
      hn::Mul(
          c,
          polynomial<9.99999979e-01f, 1.33797590e-01f, 3.49408214e-03f, 2.05842170e-05f, 1.33200007e-08f>(u)),
      polynomial<1.0f, 4.67130742e-01f, 2.58712572e-02f, 3.28316863e-04f, 7.76241885e-07f>(u));
  return clamp(y, constant<-1.0f>(), constant<1.0f>());
}

// 1 + e^-x, 1.4 ulp: 1 from x = 88 on, infinity below -88.4. The clamp keeps the exponent of e^-x valid, from
// 0 to the one of infinity. Its factor is applied last, because infinity times a negative remainder would be
// NaN.
HWY_INLINE VF one_plus_exp_negated(VF x) {
  const VF c = clamp(x, constant<-88.8f>(), constant<88.0f>());
  const VF bias = constant<kRoundingShift + 127.0f>();
  const VF shifted = mul_add(c, constant<-1.44269504f>(), bias);
  const VF scale = as_float(hn::ShiftLeft<23>(as_int(shifted)));
  // The negated remainder, hence the signs of the odd coefficients.
  const VF n = hn::Sub(shifted, bias);
  const VF r = mul_add(n, constant<-2.12194440e-4f>(), mul_add(n, constant<0.693359375f>(), c));
  const VF e =
      polynomial<1.0f, -1.0f, 0.49999994f, -0.16666521f, 0.04166839f, -0.0083687445f, 0.0013814549f>(r);
  return mul_add(e, scale, constant<1.0f>());
}

// 1 / (1 + e^-x), 2.1 ulp where the result is normal.
HWY_INLINE VF sigmoid(VF x) { return divide(constant<1.0f>(), one_plus_exp_negated(x)); }

// erf(x), 1.4 ulp: x + x P(x^2) below 0.875 (fit: 8.6e-9), 1 - e^-Q(|x|) above (fit of Q = -log erfc:
// 1.8e-9).
HWY_INLINE VF erf(VF x) {
  const VF magnitude = at_most(constant<4.0f>(), hn::Abs(x));  // erf(4) rounds to 1
  const VF u = hn::Mul(magnitude, magnitude);
  const VF near = mul_add(
      magnitude,
      polynomial<0.12837915f, -0.3761255f, 0.11282455f, -0.026791463f, 0.0050321817f, -0.0006203258f>(u),
      magnitude);
  const VF far =
      hn::Sub(constant<1.0f>(),
              exp_non_positive(polynomial<-0.0001431191f, -1.127894f, -0.6368127f, -0.10425735f, 0.022384547f,
                                          -0.0030828947f, 0.00019999452f>(magnitude)));
  return hn::CopySign(hn::IfThenElse(hn::Lt(magnitude, constant<0.875f>()), near, far), x);
}

// erf(x) within 4e-7, for results that are added to larger values. An odd rational function of degree 11 over
// 10, fitted on [0, 3.95] with a relative error of 2.1e-8.
HWY_INLINE VF erf_fast(VF x) {
  const VF c = clamp(x, constant<-3.95f>(), constant<3.95f>());
  const VF u = hn::Mul(c, c);
  const VF y = divide(
      hn::Mul(c, polynomial<1.12837914e+00f, 1.91495269e-01f, 5.28682302e-02f, 3.80583664e-03f,
                            2.84642031e-04f, 2.02640589e-06f>(u)),
      polynomial<1.0f, 5.03040947e-01f, 1.14536935e-01f, 1.50504049e-02f, 1.17017573e-03f, 3.78345951e-05f>(
          u));
  return clamp(y, constant<-1.0f>(), constant<1.0f>());
}

// --- sine and cosine ---------------------------------------------------------------------------------------

// For larger angles, the product that gives n is too coarse: the remainder would leave the polynomial's
// range.
inline constexpr float kLargestReducedAngle = 65536.0f;

// x - (n + offset) pi in double precision, where n is the nearest integer. The lowest bit of `parity`
// receives the parity of n.
HWY_INLINE VF reduce_by_pi(VF x, float offset, VI* parity) {
  const VF n = hn::Round(mul_add(x, constant<0.318309886f>(), set(-offset)));
  *parity = hn::ConvertTo(I32x4(), n);
  const VF k = hn::Add(n, set(offset));
  const F64x2 d;
  const VD pi1 = hn::Set(d, 3.14159265346825122833251953125), pi2 = hn::Set(d, 1.21542010130123227e-10);
  const VD lo = hn::NegMulAdd(hn::PromoteLowerTo(d, k), pi2,
                              hn::NegMulAdd(hn::PromoteLowerTo(d, k), pi1, hn::PromoteLowerTo(d, x)));
  const VD hi = hn::NegMulAdd(hn::PromoteUpperTo(d, k), pi2,
                              hn::NegMulAdd(hn::PromoteUpperTo(d, k), pi1, hn::PromoteUpperTo(d, x)));
  const hn::FixedTag<float, 2> half;
  return hn::Combine(F32x4(), hn::DemoteTo(half, hi), hn::DemoteTo(half, lo));
}

// sin(r) on |r| <= pi/2 (fit: 6.2e-9), negated where parity is odd. sin(-0.0) is -0.0.
HWY_INLINE VF sin_reduced(VF r, VI parity) {
  const VF u = hn::Mul(r, r);
  // Without CopySign, -0.0 times a negative polynomial would give +0.0.
  const VF y = hn::CopySign(
      mul_add(hn::Mul(u, r), polynomial<-0.1666666f, 0.008333065f, -0.00019809476f, 2.6054818e-06f>(u), r),
      r);
  return hn::Xor(y, as_float(hn::ShiftLeft<31>(parity)));
}

// Applies the function to each lane separately.
template <typename Function>
HWY_NOINLINE VF evaluate_lanes(VF x, Function function) {
  alignas(16) float lanes[kLanes];
  hn::Store(x, F32x4(), lanes);
  for (float& lane : lanes) lane = function(lane);
  return hn::Load(F32x4(), lanes);
}

// Returns `reduced`, except for angles too large to reduce, which are computed one by one. An element's
// result must not depend on its neighbours, which vary with the number of threads.
template <typename Function>
HWY_INLINE VF with_large_angles(VF x, VF reduced, Function function) {
  const auto reducible = hn::Lt(hn::Abs(x), constant<kLargestReducedAngle>());
  if (HWY_LIKELY(hn::AllTrue(F32x4(), reducible))) return reduced;
  return hn::IfThenElse(reducible, reduced, evaluate_lanes(x, function));
}

// sin(x), 2 ulp.
HWY_INLINE VF sin(VF x) {
  VI parity;
  const VF r = reduce_by_pi(x, 0.0f, &parity);
  return with_large_angles(x, sin_reduced(r, parity), [](float v) { return std::sin(v); });
}

// cos(x) = (-1)^(n+1) sin(x - (n + 1/2) pi), 2.1 ulp.
HWY_INLINE VF cos(VF x) {
  VI parity;
  const VF r = reduce_by_pi(x, 0.5f, &parity);
  return with_large_angles(x, sin_reduced(r, hn::Add(parity, integer_constant<1>())),
                           [](float v) { return std::cos(v); });
}

// --- pow ---------------------------------------------------------------------------------------------------

// x^y for two lanes of doubles, 0 < x < inf and finite y, as 2^(y log2 x), which needs 8 bits more than a
// float has.
HWY_INLINE VD pow_positive(VD x, VD y) {
  const F64x2 d;
  const I64x2 di;
  // x comes from a float, so it is never a denormal double. log2 x = e + log2 m, with m in [sqrt(1/2),
  // sqrt(2)).
  const auto root = hn::Set(di, 0x3FE6A09E667F3BCDLL);
  const auto bits = hn::Sub(hn::BitCast(di, x), root);
  // The exponent of a float fits 11 bits. It becomes a double by the same shift that rounds in reduce_exp.
  const VD shift = hn::Set(d, 6755399441055744.0);
  const auto shift_bits = hn::Set(di, 0x4338000000000000LL);
  const VD e = hn::Sub(hn::BitCast(d, hn::Add(hn::ShiftRight<52>(bits), shift_bits)), shift);
  const VD m = hn::BitCast(d, hn::Add(hn::And(bits, hn::Set(di, 0x000FFFFFFFFFFFFFLL)), root));
  const VD one = hn::Set(d, 1.0);
  const VD s = hn::Div(hn::Sub(m, one), hn::Add(m, one));
  const VD u = hn::Mul(s, s);
  // 2 atanh(s) / ln 2 as a series. |s| <= 0.172, so the first omitted term is 5e-11 of the sum.
  static constexpr double a[] = {2.88539008177792681,  0.961796693925975604, 0.577078016355585363,
                                 0.412198583111132402, 0.320598897975325202, 0.262308189252538802};
  VD log2m = hn::Set(d, a[5]);
  for (int i = 4; i >= 0; --i) log2m = hn::MulAdd(log2m, u, hn::Set(d, a[i]));
  VD t = hn::Mul(y, hn::MulAdd(log2m, s, e));
  t = hn::Min(hn::Max(t, hn::Set(d, -160.0)), hn::Set(d, 140.0));
  const VD shifted = hn::Add(t, shift);
  const VD f = hn::Sub(t, hn::Sub(shifted, shift));
  // 2^f = sum (f ln 2)^k / k!. |f| <= 1/2, so the first omitted term is 2e-10.
  static constexpr double b[] = {1.0,
                                 0.693147180559945309,
                                 0.240226506959100712,
                                 0.0555041086648215800,
                                 0.00961812910762847716,
                                 0.00133335581464284434,
                                 0.000154035303933816099,
                                 0.0000152527338040598403,
                                 0.00000132154867901443};
  VD p = hn::Set(d, b[8]);
  for (int i = 7; i >= 0; --i) p = hn::MulAdd(p, f, hn::Set(d, b[i]));
  return hn::BitCast(d, hn::Add(hn::BitCast(di, p), hn::ShiftLeft<52>(hn::BitCast(di, shifted))));
}

// x^y, 0.5 ulp where x is positive and finite and y is finite. Other values use std::pow.
HWY_INLINE VF pow(VF x, VF y) {
  const F32x4 df;
  const MF plain = hn::And(hn::And(hn::Gt(x, zero()), hn::Lt(x, constant<kInfinity>())), hn::IsFinite(y));
  const bool all_plain = hn::AllTrue(df, plain);
  // Decides per lane, so that a result does not depend on its neighbours, which vary with the split between
  // threads.
  const VF base = all_plain ? x : hn::IfThenElse(plain, x, constant<1.0f>());
  const VF exponent = all_plain ? y : hn::IfThenElse(plain, y, constant<1.0f>());
  const F64x2 d;
  const hn::FixedTag<float, 2> half;
  const VD lo = pow_positive(hn::PromoteLowerTo(d, base), hn::PromoteLowerTo(d, exponent));
  const VD hi = pow_positive(hn::PromoteUpperTo(d, base), hn::PromoteUpperTo(d, exponent));
  const VF power = hn::Combine(df, hn::DemoteTo(half, hi), hn::DemoteTo(half, lo));
  if (HWY_LIKELY(all_plain)) return power;
  alignas(16) float xs[kLanes], ys[kLanes], others[kLanes];
  hn::Store(x, df, xs);
  hn::Store(y, df, ys);
  for (size_t i = 0; i < kLanes; ++i) others[i] = std::pow(xs[i], ys[i]);
  return hn::IfThenElse(plain, power, hn::Load(df, others));
}

// --- composed activations ----------------------------------------------------------------------------------

HWY_INLINE VF relu(VF x) { return at_least(zero(), x); }

// x (1 + erf(x / sqrt 2)) / 2. Below -10, where the result is 0, the fast functions may be one ulp short of
// -1, so x is clamped there. The error stays below 6e-7 for every x.
HWY_INLINE VF gelu_erf(VF x) {
  const VF half = hn::Mul(at_least(constant<-10.0f>(), x), constant<0.5f>());
  return mul_add(half, erf_fast(hn::Mul(x, constant<0.70710678f>())), half);
}

// x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2
HWY_INLINE VF gelu_tanh(VF x) {
  const VF half = hn::Mul(at_least(constant<-10.0f>(), x), constant<0.5f>());
  const VF inner =
      hn::Mul(x, mul_add(hn::Mul(x, x), constant<0.044715f * 0.79788456f>(), constant<0.79788456f>()));
  return mul_add(half, tanh_fast(inner), half);
}

// x / (1 + e^(-beta x))
HWY_INLINE VF swish(VF x, VF beta) { return divide(x, one_plus_exp_negated(hn::Mul(x, beta))); }

// log(1 + e^x) = max(x, 0) + log1p(e^-|x|)
HWY_INLINE VF softplus(VF x) {
  return hn::Add(at_least(zero(), x), log1p_unit(exp_non_positive(hn::Or(x, constant<-0.0f>()))));
}

// x tanh(log(1 + e^x)) = x n / (n + 2) with n = e^x (e^x + 2). Above 20, the quotient rounds to 1.
HWY_INLINE VF mish(VF x) {
  const VF c = at_most(constant<20.0f>(), x);
  const ExpParts parts = reduce_exp(c);
  const VF y = hn::Mul(exp_reduced(parts.r), exp_scale(parts.shifted));
  const VF e = hn::IfThenZeroElse(hn::Lt(c, constant<-87.336544f>()), y);
  const VF n = hn::Mul(e, hn::Add(e, constant<2.0f>()));
  return hn::Mul(x, divide(n, hn::Add(n, constant<2.0f>())));
}

HWY_INLINE VF hard_sigmoid(VF x, VF alpha, VF beta) {
  return clamp(mul_add(x, alpha, beta), zero(), constant<1.0f>());
}

HWY_INLINE VF hsigmoid(VF x) {
  return hn::Mul(clamp(hn::Add(x, constant<3.0f>()), zero(), constant<6.0f>()), constant<1.0f / 6.0f>());
}

HWY_INLINE VF hswish(VF x) { return hn::Mul(x, hsigmoid(x)); }

HWY_INLINE VF elu(VF x, VF alpha) {
  return hn::IfThenElse(hn::Lt(x, zero()), hn::Mul(alpha, expm1_non_positive(at_most(zero(), x))), x);
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
