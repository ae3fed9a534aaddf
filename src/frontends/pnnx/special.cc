// SPDX-License-Identifier: Apache-2.0
// Special functions that no operation computes, by approximations as precise as f32.
#include <cmath>
#include <numbers>
#include <span>

#include "frontends/pnnx/families.h"
#include "frontends/pnnx/functions.h"

namespace wasmvino::pnnx {
namespace {

Source apply(Context& c, const char* type, const Source& x) { return c.b().add(type, {x}); }

// The first coefficient belongs to the highest power.
Source polynomial(Context& c, const Source& x, std::span<const double> coefficients) {
  Source sum = number_like(c, coefficients[0], x);
  for (const double each : coefficients.subspan(1)) {
    sum = with_number(c, "Add", c.b().add("Multiply", {sum, x}), each);
  }
  return sum;
}

// The derivative of lgamma. Below 1/2: digamma(1 - x) - pi / tan(pi x). Above, six steps of digamma(x) =
// digamma(x + 1) - 1 / x lead to where the asymptotic series is precise.
void digamma(Context& c) {
  constexpr int kSteps = 6;
  constexpr double kSeries[] = {-1.0 / 252, 1.0 / 120, -1.0 / 12, 0};
  const Source x = as_real(c, c.input());
  const Source reflected = with_number(c, "Less", x, 0.5);
  const Source z = c.b().add("Select", {reflected, with_number(c, "Subtract", 1, x), x});
  const Source far = with_number(c, "Add", z, kSteps);
  const Source inverse = with_number(c, "Divide", 1, far);
  Source sum = c.b().add("Subtract", {apply(c, "Log", far), with_number(c, "Multiply", inverse, 0.5)});
  sum = c.b().add("Add", {sum, polynomial(c, c.b().add("Multiply", {inverse, inverse}), kSeries)});
  for (int i = 0; i < kSteps; ++i) {
    const Source place = i == 0 ? z : with_number(c, "Add", z, i);
    sum = c.b().add("Subtract", {sum, with_number(c, "Divide", 1, place)});
  }
  // The distance to the nearest integer keeps the tangent precise for large x.
  const Source distance = c.b().add("Subtract", {x, c.b().add("Round", {x}, {{"mode", "half_to_even"}})});
  const Source tangent = apply(c, "Tan", with_number(c, "Multiply", distance, std::numbers::pi));
  const Source mirrored = c.b().add("Subtract", {sum, with_number(c, "Divide", std::numbers::pi, tangent)});
  const Source result = c.b().add("Select", {reflected, mirrored, sum});
  // Negative integers are poles whose sides differ in sign.
  const Source pole =
      c.b().add("LogicalAnd", {with_number(c, "Less", x, 0), with_number(c, "Equal", distance, 0)});
  const Source value = c.b().add("Select", {pole, number_like(c, NAN, result), result});
  // The pole at 0 has the sides of -1 / x.
  c.give(c.b().add("Select", {with_number(c, "Equal", x, 0), with_number(c, "Divide", -1, x), value}));
}

// The inverse of erf at x, whose distance from 1 and -1 is given as (1 - x) (1 + x). M. Giles, "Approximating
// the erfinv function", for single precision.
Source inverse_erf(Context& c, const Source& x, const Source& distance) {
  constexpr double kCentre[] = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                                -4.39150654e-06, 0.00021858087,  -0.00125372503,
                                -0.00417768164,  0.246640727,    1.50140941};
  constexpr double kTail[] = {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                              -0.0076224613,   0.00943887047,  1.00167406,    2.83297682};
  const Source w = apply(c, "Negative", apply(c, "Log", distance));
  const Source centre = polynomial(c, with_number(c, "Subtract", w, 2.5), kCentre);
  // The root of negative numbers beyond -1 and 1 is NaN, and so is the result.
  const Source tail = polynomial(c, with_number(c, "Subtract", apply(c, "Sqrt", w), 3), kTail);
  const Source factor = c.b().add("Select", {with_number(c, "Less", w, 5), centre, tail});
  const Source infinite = with_number(c, "Multiply", x, HUGE_VAL);
  return c.b().add("Select",
                   {with_number(c, "Equal", distance, 0), infinite, c.b().add("Multiply", {factor, x})});
}

void inverse_error_function(Context& c) {
  const Source x = as_real(c, c.input());
  c.give(inverse_erf(c, x,
                     c.b().add("Multiply", {with_number(c, "Subtract", 1, x), with_number(c, "Add", x, 1)})));
}

// The normal distribution: (1 + erf(x / sqrt(2))) / 2
void normal_distribution(Context& c) {
  const Source x = with_number(c, "Multiply", as_real(c, c.input()), std::numbers::sqrt2 / 2);
  c.give(with_number(c, "Multiply", with_number(c, "Add", apply(c, "Erf", x), 1), 0.5));
}

// Its inverse: sqrt(2) erfinv(2 x - 1)
void normal_quantile(Context& c) {
  const Source x = as_real(c, c.input());
  const Source centred = with_number(c, "Subtract", with_number(c, "Multiply", x, 2), 1);
  const Source distance =
      with_number(c, "Multiply", c.b().add("Multiply", {x, with_number(c, "Subtract", 1, x)}), 4);
  c.give(with_number(c, "Multiply", inverse_erf(c, centred, distance), std::numbers::sqrt2));
}

struct Bessel {
  std::span<const double> small;  // of (x / 3.75)^2
  std::span<const double> large;  // of 3.75 / |x|; times exp(|x|) / sqrt(|x|)
  bool odd = false;               // times x
};

// Abramowitz and Stegun, 9.8.1 to 9.8.4
constexpr double kSmall0[] = {0.0045813, 0.0360768, 0.2659732, 1.2067492, 3.0899424, 3.5156229, 1};
constexpr double kLarge0[] = {0.00392377,  -0.01647633, 0.02635537, -0.02057706, 0.00916281,
                              -0.00157565, 0.00225319,  0.01328592, 0.39894228};
constexpr double kSmall1[] = {0.00032411, 0.00301532, 0.02658733, 0.15084934, 0.51498869, 0.87890594, 0.5};
constexpr double kLarge1[] = {-0.00420059, 0.01787654,  -0.02895312, 0.02282967, -0.01031555,
                              0.00163801,  -0.00362018, -0.03988024, 0.39894228};
constexpr Bessel kBessel0 = {kSmall0, kLarge0, false}, kBessel1 = {kSmall1, kLarge1, true};

// Modified Bessel functions, also divided by exp(|x|).
void give_bessel(Context& c, const Bessel& bessel, bool scaled) {
  constexpr double kLimit = 3.75;
  const Source x = as_real(c, c.input()), size = apply(c, "Abs", x);
  const Source ratio = with_number(c, "Divide", size, kLimit);
  Source small = polynomial(c, c.b().add("Multiply", {ratio, ratio}), bessel.small);
  if (bessel.odd) small = c.b().add("Multiply", {small, x});
  Source large = c.b().add("Divide", {polynomial(c, with_number(c, "Divide", kLimit, size), bessel.large),
                                      apply(c, "Sqrt", size)});
  if (bessel.odd) large = c.b().add("Multiply", {large, apply(c, "Sign", x)});
  if (scaled) {
    small = c.b().add("Multiply", {small, apply(c, "Exp", apply(c, "Negative", size))});
  } else {
    large = c.b().add("Multiply", {large, apply(c, "Exp", size)});
  }
  c.give(c.b().add("Select", {with_number(c, "Less", size, kLimit), small, large}));
}

void bessel_i0(Context& c) { give_bessel(c, kBessel0, false); }
void bessel_i0e(Context& c) { give_bessel(c, kBessel0, true); }
void bessel_i1(Context& c) { give_bessel(c, kBessel1, false); }
void bessel_i1e(Context& c) { give_bessel(c, kBessel1, true); }

constexpr std::string_view kBesselOperations = "Abs Divide Multiply Add Sqrt Sign Exp Negative Less Select";

constexpr Entry kEntries[] = {
    {"aten::digamma", digamma, "Less Subtract Select Add Divide Log Multiply Round Tan Equal LogicalAnd"},
    {"aten::erfinv", inverse_error_function, "Subtract Add Multiply Log Negative Sqrt Less Select Equal"},
    {"aten::special_ndtr", normal_distribution, "Multiply Erf Add"},
    {"aten::special_ndtri", normal_quantile, "Multiply Subtract Add Log Negative Sqrt Less Select Equal"},
    {"aten::i0", bessel_i0, kBesselOperations},
    {"aten::special_i0e", bessel_i0e, kBesselOperations},
    {"aten::special_i1", bessel_i1, kBesselOperations},
    {"aten::special_i1e", bessel_i1e, kBesselOperations},
};

}  // namespace

std::span<const Entry> special_functions() { return kEntries; }

}  // namespace wasmvino::pnnx
