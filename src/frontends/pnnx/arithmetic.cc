// SPDX-License-Identifier: Apache-2.0
#include "frontends/pnnx/arithmetic.h"

#include <cmath>
#include <iterator>
#include <utility>

#include "frontends/pnnx/functions.h"

namespace wasmvino::pnnx {
namespace {

constexpr double kPi = 3.14159265358979323846, kLn2 = 0.69314718055994530942, kLn10 = 2.30258509299404568402;

Source apply(Context& c, const char* type, const Source& x) { return c.b().add(type, {x}); }
Source apply_real(Context& c, const char* type, const Source& x) { return c.b().add(type, {as_real(c, x)}); }

bool is_boolean(Context& c, const Source& x) { return c.b().type(x) == ElementType::kBoolean; }

Source trunc(Context& c, const Source& x) {
  if (!is_real(c.b().type(x))) return x;
  return c.b().add("Select", {with_number(c, "Less", x, 0), apply(c, "Ceiling", x), apply(c, "Floor", x)});
}

// Functions that leave integers unchanged.
Source rounded(Context& c, const char* type, const Source& x) {
  return is_real(c.b().type(x)) ? apply(c, type, x) : x;
}

// To a base, of which `ln_base` is the natural logarithm.
Source logarithm(Context& c, const Source& x, double ln_base) {
  return with_number(c, "Multiply", apply_real(c, "Log", x), 1 / ln_base);
}

// Beyond 1/2, a Chebyshev approximation whose relative error is 1.2e-7: 1 - erf(x) would lose all digits
// there. W. H. Press et al., Numerical Recipes, 6.2.
Source erfc(Context& c, const Source& source) {
  constexpr double kTerms[] = {0.17087277,  -0.82215223, 1.48851587, -1.13520398, 0.27886807,
                               -0.18628806, 0.09678418,  0.37409196, 1.00002368,  -1.26551223};
  const Source x = as_real(c, source);
  const Source t = with_number(c, "Divide", 1, with_number(c, "Add", with_number(c, "Multiply", x, 0.5), 1));
  Source sum = number_like(c, kTerms[0], x);
  for (size_t i = 1; i < std::size(kTerms); ++i)
    sum = with_number(c, "Add", c.b().add("Multiply", {sum, t}), kTerms[i]);
  const Source exponent = c.b().add("Subtract", {sum, c.b().add("Multiply", {x, x})});
  const Source tail = c.b().add("Multiply", {t, apply(c, "Exp", exponent)});
  const Source near = with_number(c, "Subtract", 1, apply(c, "Erf", x));
  return c.b().add("Select", {with_number(c, "Greater", x, 0.5), tail, near});
}

// Lanczos' approximation with g = 5 and six terms, whose error, 2e-10, is below the precision of f32. Below
// 1/2, Euler's reflection: log(pi / |sin(pi x)|) - lgamma(1 - x).
Source lgamma(Context& c, const Source& source) {
  constexpr double kTerms[] = {76.18009172947146,  -86.50532032941677,    24.01409824083091,
                               -1.231739572450155, 0.1208650973866179e-2, -0.5395239384953e-5};
  constexpr double kFirst = 1.000000000190015, kRootOfTwoPi = 2.5066282746310005;
  const Source x = as_real(c, source);
  const Source reflected = with_number(c, "Less", x, 0.5);
  const Source z = c.b().add("Select", {reflected, with_number(c, "Subtract", 1, x), x});
  Source sum = number_like(c, kFirst, x);
  for (size_t i = 0; i < std::size(kTerms); ++i) {
    const Source place = i == 0 ? z : with_number(c, "Add", z, static_cast<double>(i));
    sum = c.b().add("Add", {sum, with_number(c, "Divide", kTerms[i], place)});
  }
  // (z - 1/2) * (log(z + 4.5) - 1) - 5 + log(sqrt(2 pi) * sum); the usual form overflows earlier.
  const Source growth = with_number(c, "Subtract", apply(c, "Log", with_number(c, "Add", z, 4.5)), 1);
  const Source large = c.b().add("Multiply", {with_number(c, "Subtract", z, 0.5), growth});
  const Source small = apply(c, "Log", with_number(c, "Multiply", sum, kRootOfTwoPi));
  const Source result = c.b().add("Add", {with_number(c, "Subtract", large, 5), small});
  // The distance to the nearest integer makes the sine exactly 0 at the poles.
  const Source distance = c.b().add("Subtract", {x, c.b().add("Round", {x}, {{"mode", "half_to_even"}})});
  const Source sine = apply(c, "Abs", apply(c, "Sin", with_number(c, "Multiply", distance, kPi)));
  const Source mirror = apply(c, "Log", with_number(c, "Divide", kPi, sine));
  const Source value = c.b().add("Select", {reflected, c.b().add("Subtract", {mirror, result}), result});
  return c.b().add("Select", {apply(c, "IsInf", x), apply(c, "Abs", x), value});
}

Source divide(Context& c, const Source& a, const Source& b) {
  return binary(c, "Divide", as_real(c, a), as_real(c, b));
}

// Of real numbers, a - mod(a, b) is a multiple of b up to rounding, so that 1 // 0.1 is 9 although 1 / 0.1 is
// rounded up to 10.
Source floor_divide(Context& c, const Source& a, const Source& b) {
  const Source direct = binary(c, "Divide", a, b);
  const ElementType common = c.b().type(direct);
  if (!is_real(common)) return direct;
  const Source x = convert(c, a, common), y = convert(c, b, common);
  const Source rest = c.b().add("Mod", {x, y});
  const Source whole = c.b().add("Divide", {c.b().add("Subtract", {x, rest}), y});
  const Source apart = c.b().add("NotEqual", {with_number(c, "Less", rest, 0), with_number(c, "Less", y, 0)});
  const Source down = c.b().add("LogicalAnd", {with_number(c, "NotEqual", rest, 0), apart});
  const Source lowered = c.b().add("Subtract", {whole, convert(c, down, common)});
  const Source nearest = c.b().add("Round", {lowered}, {{"mode", "half_to_even"}});
  return c.b().add("Select", {with_number(c, "Equal", y, 0), direct, nearest});
}

// Whether a number is negative. -0 is: its reciprocal is minus infinity.
Source sign_bit(Context& c, const Source& x) {
  const Source below = with_number(c, "Less", x, 0);
  if (!is_real(c.b().type(x))) return below;
  return c.b().add("LogicalOr", {below, with_number(c, "Less", with_number(c, "Divide", 1, x), 0)});
}

// The angle of the point (x, y), in all four quadrants: the one of (|x|, |y|), mirrored. The signs of zeros
// count, and two infinities are the same number.
Source atan2(Context& c, const Source& y, const Source& x) {
  const Source height = apply(c, "Abs", y), width = apply(c, "Abs", x);
  const Source diagonal = c.b().add("Select", {c.b().add("Equal", {height, width}), number_like(c, 1, x),
                                               c.b().add("Divide", {height, width})});
  const Source origin = with_number(c, "Equal", c.b().add("Add", {height, width}), 0);
  const Source angle = apply(c, "Atan", c.b().add("Select", {origin, height, diagonal}));
  const Source half = c.b().add("Select", {sign_bit(c, x), with_number(c, "Subtract", kPi, angle), angle});
  return c.b().add("Select", {sign_bit(c, y), apply(c, "Negative", half), half});
}

// PyTorch gives NaN the sign 0.
Source sign(Context& c, const Source& x) {
  const Source found = apply(c, "Sign", x);
  if (!is_real(c.b().type(x))) return found;
  return c.b().add("Select", {apply(c, "IsNaN", x), number_like(c, 0, x), found});
}

Source bitwise(Context& c, const char* logical, const char* integral, const Source& a, const Source& b) {
  return binary(c, is_boolean(c, a) && is_boolean(c, b) ? logical : integral, a, b);
}

// Integers to negative powers are rounded to 0, as 0 is.
Source power(Context& c, const Source& a, const Source& b) {
  const Source made = binary(c, "Power", a, b);
  if (is_real(c.b().type(made)) || c.b().rank(b) == 0) return made;
  const Source undefined =
      c.b().add("LogicalAnd", {with_number(c, "Equal", a, 0), with_number(c, "Less", b, 0)});
  return c.b().add("Select", {undefined, number_like(c, 0, made), made});
}

Source frac(Context& c, const Source& x) { return c.b().add("Subtract", {x, trunc(c, x)}); }

// Whether numbers are infinite with one of the given signs.
Source infinite(Context& c, const Source& x, bool negative, bool positive) {
  return c.b().add("IsInf", {as_real(c, x)}, {{"detect_negative", negative}, {"detect_positive", positive}});
}

// sin(pi x) / (pi x), and 1 at 0
Source sinc(Context& c, const Source& source) {
  const Source x = as_real(c, source), angle = with_number(c, "Multiply", x, kPi);
  const Source ratio = c.b().add("Divide", {apply(c, "Sin", angle), angle});
  return c.b().add("Select", {with_number(c, "Equal", x, 0), number_like(c, 1, x), ratio});
}

// x times a logarithm of y, and 0 where x is 0 and y is a number.
Source times_log(Context& c, const Source& a, const Source& y, const Source& log) {
  const Source x = as_real(c, a);
  const Source product = binary(c, "Multiply", x, log);
  const Source number = apply(c, "LogicalNot", apply_real(c, "IsNaN", y));
  const Source zero = c.b().add("LogicalAnd", {with_number(c, "Equal", x, 0), number});
  return c.b().add("Select", {zero, number_like(c, 0, product), product});
}

Source xlogy(Context& c, const Source& x, const Source& y) {
  return times_log(c, x, y, apply_real(c, "Log", y));
}

// -x log x, 0 at 0, and minus infinity below
Source entropy(Context& c, const Source& source) {
  const Source x = as_real(c, source), value = apply(c, "Negative", xlogy(c, x, x));
  return c.b().add("Select", {with_number(c, "Less", x, 0), number_like(c, -HUGE_VAL, x), value});
}

// The other value where one is NaN.
Source extreme_of_numbers(Context& c, const char* type, const Source& a, const Source& b) {
  const ElementType common = promoted(c.b().type(a), c.b().type(b));
  const Source x = convert(c, a, common), y = convert(c, b, common), found = c.b().add(type, {x, y});
  if (!is_real(common)) return found;
  const Source or_x = c.b().add("Select", {apply(c, "IsNaN", y), x, found});
  return c.b().add("Select", {apply(c, "IsNaN", x), y, or_x});
}

// log(exp(a) + exp(b)) = max + log(1 + exp(-|a - b|)), which does not overflow. `unit` is the logarithm of
// the base. Equal infinities are the result.
Source log_add_exp(Context& c, const Source& a, const Source& b, double unit) {
  const Source x = as_real(c, a), y = as_real(c, b);
  const Source most = binary(c, "Maximum", x, y);
  const Source distance = apply(c, "Abs", binary(c, "Subtract", x, y));
  const Source share = apply(c, "Exp", with_number(c, "Multiply", distance, -unit));
  const Source sum = c.b().add("Add", {most, with_number(c, "Multiply", log1p(c, share), 1 / unit)});
  const Source same = c.b().add("LogicalAnd", {binary(c, "Equal", x, y), infinite(c, most, true, true)});
  return c.b().add("Select", {same, most, sum});
}

constexpr std::pair<std::string_view, Unary> kUnary[] = {
    {"abs", [](Context& c, const Source& x) { return apply_wrapping(c, "Abs", x); }},
    {"acos", [](Context& c, const Source& x) { return apply_real(c, "Acos", x); }},
    {"acosh", [](Context& c, const Source& x) { return apply_real(c, "Acosh", x); }},
    {"asin", [](Context& c, const Source& x) { return apply_real(c, "Asin", x); }},
    {"asinh", [](Context& c, const Source& x) { return apply_real(c, "Asinh", x); }},
    {"atan", [](Context& c, const Source& x) { return apply_real(c, "Atan", x); }},
    {"atanh", [](Context& c, const Source& x) { return apply_real(c, "Atanh", x); }},
    {"bitwise_not",
     [](Context& c, const Source& x) { return apply(c, is_boolean(c, x) ? "LogicalNot" : "BitwiseNot", x); }},
    {"ceil", [](Context& c, const Source& x) { return rounded(c, "Ceiling", x); }},
    {"cos", [](Context& c, const Source& x) { return apply_real(c, "Cos", x); }},
    {"cosh", [](Context& c, const Source& x) { return apply_real(c, "Cosh", x); }},
    {"deg2rad",
     [](Context& c, const Source& x) { return with_number(c, "Multiply", as_real(c, x), kPi / 180); }},
    {"erf", [](Context& c, const Source& x) { return apply_real(c, "Erf", x); }},
    {"erfc", erfc},
    {"exp", [](Context& c, const Source& x) { return apply_real(c, "Exp", x); }},
    {"exp2", [](Context& c, const Source& x) { return with_number(c, "Power", 2, as_real(c, x)); }},
    {"expm1", expm1},
    {"floor", [](Context& c, const Source& x) { return rounded(c, "Floor", x); }},
    {"frac", frac},
    {"isfinite", [](Context& c, const Source& x) { return apply_real(c, "IsFinite", x); }},
    {"isinf", [](Context& c, const Source& x) { return infinite(c, x, true, true); }},
    {"isnan", [](Context& c, const Source& x) { return apply_real(c, "IsNaN", x); }},
    {"isneginf", [](Context& c, const Source& x) { return infinite(c, x, true, false); }},
    {"isposinf", [](Context& c, const Source& x) { return infinite(c, x, false, true); }},
    {"lgamma", lgamma},
    {"log", [](Context& c, const Source& x) { return apply_real(c, "Log", x); }},
    {"log10", [](Context& c, const Source& x) { return logarithm(c, x, kLn10); }},
    {"log1p", log1p},
    {"log2", [](Context& c, const Source& x) { return logarithm(c, x, kLn2); }},
    {"logical_not",
     [](Context& c, const Source& x) {
       return apply(c, "LogicalNot", convert(c, x, ElementType::kBoolean));
     }},
    {"neg", [](Context& c, const Source& x) { return apply_wrapping(c, "Negative", x); }},
    {"rad2deg",
     [](Context& c, const Source& x) { return with_number(c, "Multiply", as_real(c, x), 180 / kPi); }},
    {"reciprocal", [](Context& c, const Source& x) { return with_number(c, "Divide", 1, as_real(c, x)); }},
    {"relu", [](Context& c, const Source& x) { return apply(c, "Relu", x); }},
    {"round",
     [](Context& c, const Source& x) {
       return is_real(c.b().type(x)) ? c.b().add("Round", {x}, {{"mode", "half_to_even"}}) : x;
     }},
    {"rsqrt",
     [](Context& c, const Source& x) { return with_number(c, "Divide", 1, apply_real(c, "Sqrt", x)); }},
    {"sigmoid", [](Context& c, const Source& x) { return apply_real(c, "Sigmoid", x); }},
    {"sgn", sign},
    {"sign", sign},
    {"signbit", sign_bit},
    {"sin", [](Context& c, const Source& x) { return apply_real(c, "Sin", x); }},
    {"sinc", sinc},
    {"sinh", [](Context& c, const Source& x) { return apply_real(c, "Sinh", x); }},
    {"special_entr", entropy},
    {"sqrt", [](Context& c, const Source& x) { return apply_real(c, "Sqrt", x); }},
    {"square", [](Context& c, const Source& x) { return binary(c, "Multiply", x, x); }},
    {"tan", [](Context& c, const Source& x) { return apply_real(c, "Tan", x); }},
    {"tanh", [](Context& c, const Source& x) { return apply_real(c, "Tanh", x); }},
    {"trunc", trunc},
};

constexpr std::pair<std::string_view, Binary> kBinary[] = {
    {"add", [](Context& c, const Source& a, const Source& b) { return binary(c, "Add", a, b); }},
    {"and", [](Context& c, const Source& a,
               const Source& b) { return bitwise(c, "LogicalAnd", "BitwiseAnd", a, b); }},
    {"atan2",
     [](Context& c, const Source& a, const Source& b) { return atan2(c, as_real(c, a), as_real(c, b)); }},
    {"copysign",
     [](Context& c, const Source& a, const Source& b) {
       const Source magnitude = apply(c, "Abs", as_real(c, a));
       return c.b().add("Select", {sign_bit(c, b), apply(c, "Negative", magnitude), magnitude});
     }},
    {"div", divide},
    {"eq", [](Context& c, const Source& a, const Source& b) { return binary(c, "Equal", a, b); }},
    {"floor_divide", floor_divide},
    {"float_power",
     [](Context& c, const Source& a, const Source& b) {
       return c.b().add("Power", {convert(c, a, ElementType::kF64), convert(c, b, ElementType::kF64)});
     }},
    {"fmax",
     [](Context& c, const Source& a, const Source& b) { return extreme_of_numbers(c, "Maximum", a, b); }},
    {"fmin",
     [](Context& c, const Source& a, const Source& b) { return extreme_of_numbers(c, "Minimum", a, b); }},
    {"fmod", [](Context& c, const Source& a, const Source& b) { return binary(c, "Mod", a, b); }},
    {"ge", [](Context& c, const Source& a, const Source& b) { return binary(c, "GreaterEqual", a, b); }},
    {"gt", [](Context& c, const Source& a, const Source& b) { return binary(c, "Greater", a, b); }},
    {"heaviside",
     [](Context& c, const Source& a, const Source& b) {
       const Source step = convert(c, with_number(c, "Greater", a, 0), c.b().type(a));
       return c.b().add("Select", {with_number(c, "Equal", a, 0), convert(c, b, c.b().type(a)), step});
     }},
    {"ldexp",
     [](Context& c, const Source& a, const Source& b) {
       return binary(c, "Multiply", as_real(c, a), with_number(c, "Power", 2, as_real(c, b)));
     }},
    {"le", [](Context& c, const Source& a, const Source& b) { return binary(c, "LessEqual", a, b); }},
    {"logaddexp", [](Context& c, const Source& a, const Source& b) { return log_add_exp(c, a, b, 1); }},
    {"logaddexp2", [](Context& c, const Source& a, const Source& b) { return log_add_exp(c, a, b, kLn2); }},
    {"lshift",
     [](Context& c, const Source& a, const Source& b) { return binary(c, "BitwiseLeftShift", a, b); }},
    {"lt", [](Context& c, const Source& a, const Source& b) { return binary(c, "Less", a, b); }},
    {"max", [](Context& c, const Source& a, const Source& b) { return binary(c, "Maximum", a, b); }},
    {"maximum", [](Context& c, const Source& a, const Source& b) { return binary(c, "Maximum", a, b); }},
    {"min", [](Context& c, const Source& a, const Source& b) { return binary(c, "Minimum", a, b); }},
    {"minimum", [](Context& c, const Source& a, const Source& b) { return binary(c, "Minimum", a, b); }},
    {"mul", [](Context& c, const Source& a, const Source& b) { return binary(c, "Multiply", a, b); }},
    {"ne", [](Context& c, const Source& a, const Source& b) { return binary(c, "NotEqual", a, b); }},
    {"or",
     [](Context& c, const Source& a, const Source& b) { return bitwise(c, "LogicalOr", "BitwiseOr", a, b); }},
    {"pow", power},
    {"remainder", [](Context& c, const Source& a, const Source& b) { return binary(c, "FloorMod", a, b); }},
    {"rshift",
     [](Context& c, const Source& a, const Source& b) { return binary(c, "BitwiseRightShift", a, b); }},
    {"rsub", [](Context& c, const Source& a, const Source& b) { return binary(c, "Subtract", b, a); }},
    {"special_xlog1py",
     [](Context& c, const Source& a, const Source& b) { return times_log(c, a, b, log1p(c, b)); }},
    {"sub", [](Context& c, const Source& a, const Source& b) { return binary(c, "Subtract", a, b); }},
    {"xlogy", xlogy},
    {"xor", [](Context& c, const Source& a,
               const Source& b) { return bitwise(c, "LogicalXor", "BitwiseXor", a, b); }},
};

}  // namespace

Unary find_unary(std::string_view name) {
  for (const auto& [known, function] : kUnary) {
    if (known == name) return function;
  }
  return nullptr;
}

Binary find_binary(std::string_view name) {
  for (const auto& [known, function] : kBinary) {
    if (known == name) return function;
  }
  return nullptr;
}

}  // namespace wasmvino::pnnx
