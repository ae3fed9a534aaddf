// SPDX-License-Identifier: Apache-2.0
// Elementwise functions that are operators of their own instead of parts of expressions.
#include <cmath>
#include <limits>
#include <utility>

#include "frontends/pnnx/arithmetic.h"
#include "frontends/pnnx/families.h"
#include "frontends/pnnx/functions.h"

namespace wasmvino::pnnx {
namespace {

// "log2" for "torch.log2" and "aten::log2".
std::string_view function_name(const Context& c) {
  const std::string_view type = c.op().type;
  return type.substr(type.find_last_of(".:") + 1);
}

void unary(Context& c) { c.give(find_unary(function_name(c))(c, c.input())); }

// The operands "input" and "other", either of which may be a number. A number has the type that it gets
// beside the tensor, or `type` if that is given.
std::pair<Source, Source> operands(Context& c, ElementType type = ElementType::kDynamic) {
  const bool number_first = c.find("input") != nullptr;
  const auto numbered = [&](const char* name, const Source& like) {
    return type == ElementType::kDynamic ? other_operand(c, name, 1, like)
                                         : number_as(c, c.number(name), type);
  };
  if (number_first) {
    const Source b = c.required_input("other", 0);
    return {numbered("input", b), b};
  }
  const Source a = c.input(0);
  return {a, c.find("other") != nullptr ? numbered("other", a) : c.required_input("other", 1)};
}

void give_binary(Context& c, std::string_view function, ElementType type = ElementType::kDynamic) {
  const auto [a, b] = operands(c, type);
  c.give(find_binary(function)(c, a, b));
}

void binary_function(Context& c) { give_binary(c, function_name(c)); }
void float_power(Context& c) { give_binary(c, "float_power", ElementType::kF64); }

void logical(Context& c) {
  const std::string_view name = function_name(c);
  const char* const type = name == "logical_and"  ? "LogicalAnd"
                           : name == "logical_or" ? "LogicalOr"
                                                  : "LogicalXor";
  c.give(c.b().add(
      type, {convert(c, c.input(0), ElementType::kBoolean), convert(c, c.input(1), ElementType::kBoolean)}));
}

void bitwise(Context& c) {
  std::string_view name = function_name(c);
  name.remove_prefix(name.find('_') + 1);
  give_binary(c, name);
}

void shift(Context& c) { give_binary(c, function_name(c) == "bitwise_left_shift" ? "lshift" : "rshift"); }

void positive(Context& c) { c.give(c.input()); }

// a sqrt(1 + (b / a)^2), where a is the larger one of |x| and |y|: squares of x and y might overflow.
void hypot(Context& c) {
  const ElementType common = promoted(c.b().type(c.input(0)), c.b().type(c.input(1)));
  const Source x = c.b().add("Abs", {convert(c, c.input(0), common)}),
               y = c.b().add("Abs", {convert(c, c.input(1), common)});
  const Source larger_x = c.b().add("Less", {y, x});
  const Source large = c.b().add("Select", {larger_x, x, y}), small = c.b().add("Select", {larger_x, y, x});
  const Source ratio = c.b().add("Divide", {small, large});
  const Source square = with_number(c, "Add", c.b().add("Multiply", {ratio, ratio}), 1);
  const Source root = c.b().add("Multiply", {large, c.b().add("Sqrt", {square})});
  const Source length =
      c.b().add("Select", {with_number(c, "Equal", c.b().add("Add", {x, y}), 0), large, root});
  // Infinite, even beside NaN.
  const Source infinite = c.b().add("LogicalOr", {c.b().add("IsInf", {x}), c.b().add("IsInf", {y})});
  c.give(c.b().add("Select", {infinite, number_like(c, HUGE_VAL, length), length}));
}

// Where the bounds change places, the upper one is the result.
void clamp(Context& c) {
  Source result = c.input(0);
  const bool has_min = c.has("min"), has_max = c.has("max");
  if (is_real(c.b().type(result)) && !c.is_marked("min") && !c.is_marked("max")) {
    const double low = c.real("min", -HUGE_VAL), high = c.real("max", HUGE_VAL);
    if (low <= high) {
      c.give(c.b().add("Clamp", {result}, {{"min", low}, {"max", high}}));
      return;
    }
  }
  if (has_min) result = binary(c, "Maximum", result, other_operand(c, "min", 1, result));
  if (has_max) result = binary(c, "Minimum", result, other_operand(c, "max", 2, result));
  c.give(result);
}

// ATen's calls by position, which have one bound.
void clamp_min(Context& c) {
  c.give(binary(c, "Maximum", c.input(0), other_operand(c, "min", 1, c.input(0))));
}
void clamp_max(Context& c) {
  c.give(binary(c, "Minimum", c.input(0), other_operand(c, "max", 1, c.input(0))));
}

void where(Context& c) {
  const Source condition = convert(c, c.input(0), ElementType::kBoolean);
  const bool numbers = c.find("input") != nullptr && c.find("other") != nullptr;
  Source a, b;
  if (numbers) {
    const Scalar input = c.number("input");
    const bool both = input.integral && c.number("other").integral;
    a = number_as(c, input, both ? ElementType::kI64 : ElementType::kF32);
    b = other_operand(c, "other", 2, a);
  } else if (c.find("input") != nullptr) {
    b = c.required_input("other", 1);
    a = other_operand(c, "input", 1, b);
  } else {
    a = c.required_input("input", 1);
    b = other_operand(c, "other", 2, a);
  }
  const ElementType common = promoted(c.b().type(a), c.b().type(b));
  c.give(c.b().add("Select", {condition, convert(c, a, common), convert(c, b, common)}));
}

void masked_fill(Context& c) {
  const Source x = c.input(0), mask = convert(c, c.input(1), ElementType::kBoolean);
  const Source filled = c.find("value") != nullptr ? number_like(c, c.number("value"), x)
                                                   : convert(c, c.required_input("value", 2), c.b().type(x));
  c.give(c.b().add("Select", {mask, filled, x}));
}

// input + value * of
void give_scaled_sum(Context& c, const Source& of) {
  c.give(binary(c, "Add", c.input(0), with_number(c, "Multiply", of, c.number("value", 1))));
}

void addcmul(Context& c) { give_scaled_sum(c, binary(c, "Multiply", c.input(1), c.input(2))); }
void addcdiv(Context& c) { give_scaled_sum(c, binary(c, "Divide", c.input(1), c.input(2))); }

// A weight that is known chooses the end from which the result is computed.
void lerp(Context& c) {
  const Source x = c.input(0), end = c.input(1);
  if (c.find("weight") == nullptr) {
    c.give(interpolate(c, x, end, c.required_input("weight", 2)));
    return;
  }
  const double weight = c.real("weight");
  const Source difference = c.b().add("Subtract", {end, x});
  c.give(std::abs(weight) < 0.5
             ? c.b().add("Add", {x, with_number(c, "Multiply", difference, weight)})
             : c.b().add("Subtract", {end, with_number(c, "Multiply", difference, 1 - weight)}));
}

// Replaces NaN, and infinities by the largest finite numbers unless others are given.
void nan_to_num(Context& c) {
  const Source x = c.input();
  if (!is_real(c.b().type(x))) {
    c.ignore("nan posinf neginf");
    c.give(x);
    return;
  }
  const double largest = c.b().type(x) == ElementType::kF64   ? std::numeric_limits<double>::max()
                         : c.b().type(x) == ElementType::kF16 ? 65504.0
                                                              : std::numeric_limits<float>::max();
  const auto replaced = [&](const char* function, const Source& in, const Scalar& number) {
    return c.b().add("Select", {find_unary(function)(c, x), number_like(c, number, x), in});
  };
  const Source numbers = replaced("isnan", x, c.number("nan", 0));
  const Source below = replaced("isposinf", numbers, c.number("posinf", largest));
  c.give(replaced("isneginf", below, c.number("neginf", -largest)));
}

// Rounds x / scale + zero_point to the integers quant_min to quant_max, and back. Scales by channel have the
// size of their axis.
void fake_quantize(Context& c) {
  const Source x = c.input(0);
  const auto factor = [&](const char* name, size_t position) {
    if (c.find(name) != nullptr) return number_like(c, c.number(name), x);
    const Source given = convert(c, c.required_input(name, position), c.b().type(x));
    if (c.b().rank(given) == 0) return given;
    Ints shape(c.b().rank(x), 1);
    shape[static_cast<size_t>(c.axis(c.integer("axis"), c.b().rank(x)))] = -1;
    return reshape(c, given, shape);
  };
  const Source scale = factor("scale", 1), zero = factor("zero_point", 2);
  const Source place = c.b().add("Round", {c.b().add("Divide", {x, scale})}, {{"mode", "half_to_even"}});
  const Source kept = c.b().add("Clamp", {c.b().add("Add", {place, zero})},
                                {{"min", c.real("quant_min")}, {"max", c.real("quant_max")}});
  c.give(c.b().add("Multiply", {c.b().add("Subtract", {kept, zero}), scale}));
}

// log(x / (1 - x)), after x is kept eps away from 0 and 1.
void logit(Context& c) {
  Source x = as_real(c, c.input());
  if (c.has("eps")) {
    const Source low = number_like(c, c.number("eps"), x), high = with_number(c, "Subtract", 1, low);
    x = c.b().add("Minimum", {c.b().add("Maximum", {x, low}), high});
  }
  c.give(c.b().add("Log", {c.b().add("Divide", {x, with_number(c, "Subtract", 1, x)})}));
}

// Whether |a - b| <= atol + rtol |b|. Equal infinities are close, NaN only on demand.
Source close_numbers(Context& c) {
  const ElementType common = promoted(c.b().type(c.input(0)), c.b().type(c.input(1)));
  const Source a = convert(c, c.input(0), common), b = convert(c, c.input(1), common);
  const bool nan_is_close = c.flag("equal_nan", false);
  Source close = c.b().add("Equal", {a, b});
  const bool real = is_real(common);
  if (real && nan_is_close) {
    const Source both = c.b().add("LogicalAnd", {find_unary("isnan")(c, a), find_unary("isnan")(c, b)});
    close = c.b().add("LogicalOr", {close, both});
  }
  const Source x = as_real(c, a), y = as_real(c, b);
  const Source distance = c.b().add("Abs", {c.b().add("Subtract", {x, y})});
  const Source share = with_number(c, "Multiply", c.b().add("Abs", {y}), c.number("rtol", 1e-5));
  const Source allowed = with_number(c, "Add", share, c.number("atol", 1e-8));
  // An infinite distance is never allowed, not even by an infinite share.
  const Source near = c.b().add(
      "LogicalAnd", {find_unary("isfinite")(c, distance), c.b().add("LessEqual", {distance, allowed})});
  return c.b().add("LogicalOr", {close, near});
}

void isclose(Context& c) { c.give(close_numbers(c)); }

void allclose(Context& c) {
  const Source close = close_numbers(c);
  c.give(reduce(c, "ReduceLogicalAnd", close, reduced_axes(c, close, ""), false));
}

constexpr std::string_view
    kPair = "input other",
    kLog1p = "Add Log Subtract Equal IsInf LogicalOr Select Divide Multiply",
    kExpm1 = "Multiply Exp Sinh Subtract Abs Less Select",
    kLogSum = "Maximum Subtract Abs Exp Add Log Equal IsInf LogicalOr LogicalAnd Select Divide Multiply",
    kCloseness = "Equal IsNaN LogicalAnd LogicalOr Subtract Abs Multiply Add IsFinite LessEqual",
    kAllCloseness =
        "Equal IsNaN LogicalAnd LogicalOr Subtract Abs Multiply Add IsFinite LessEqual ReduceLogicalAnd";

constexpr Entry kEntries[] = {
    {"torch.abs", unary, "Abs"},
    {"torch.acos", unary, "Acos"},
    {"torch.acosh", unary, "Acosh"},
    {"torch.asin", unary, "Asin"},
    {"torch.asinh", unary, "Asinh"},
    {"torch.atan", unary, "Atan"},
    {"torch.atanh", unary, "Atanh"},
    {"torch.bitwise_not", unary, "BitwiseNot LogicalNot"},
    {"torch.ceil", unary, "Ceiling"},
    {"torch.cos", unary, "Cos"},
    {"torch.cosh", unary, "Cosh"},
    {"torch.erf", unary, "Erf"},
    {"torch.exp", unary, "Exp"},
    {"torch.expm1", unary, kExpm1},
    {"torch.floor", unary, "Floor"},
    {"torch.lgamma", unary, "Less Subtract Select Divide Add Log Multiply Round Sin Abs IsInf"},
    {"torch.log", unary, "Log"},
    {"torch.log10", unary, "Log Multiply"},
    {"torch.log1p", unary, kLog1p},
    {"torch.log2", unary, "Log Multiply"},
    {"torch.logical_not", unary, "LogicalNot"},
    {"torch.neg", unary, "Negative"},
    {"torch.reciprocal", unary, "Divide"},
    {"torch.round", unary, "Round"},
    {"torch.rsqrt", unary, "Sqrt Divide"},
    {"torch.sign", unary, "Sign IsNaN Select"},
    {"torch.sin", unary, "Sin"},
    {"torch.sinh", unary, "Sinh"},
    {"torch.sqrt", unary, "Sqrt"},
    {"torch.square", unary, "Multiply"},
    {"torch.tan", unary, "Tan"},
    {"torch.tanh", unary, "Tanh"},
    {"torch.trunc", unary, "Less Ceiling Floor Select"},
    {"aten::expm1", unary, kExpm1},
    {"aten::log1p", unary, kLog1p},
    {"aten::log2", unary, "Log Multiply"},
    {"aten::deg2rad", unary, "Multiply"},
    {"aten::erfc", unary, "Erf Subtract Multiply Add Divide Exp Greater Select"},
    {"aten::exp2", unary, "Power"},
    {"aten::frac", unary, "Less Ceiling Floor Select Subtract"},
    {"aten::isfinite", unary, "IsFinite"},
    {"aten::isinf", unary, "IsInf"},
    {"aten::isnan", unary, "IsNaN"},
    {"aten::isneginf", unary, "IsInf"},
    {"aten::isposinf", unary, "IsInf"},
    {"aten::rad2deg", unary, "Multiply"},
    {"aten::sgn", unary, "Sign IsNaN Select"},
    {"aten::signbit", unary, "Less Divide LogicalOr"},
    {"aten::sinc", unary, "Multiply Sin Divide Equal Select"},
    {"aten::special_entr", unary, "Log Multiply Equal IsNaN LogicalNot LogicalAnd Select Negative Less"},
    {"aten::nan_to_num", nan_to_num, "IsNaN IsInf Select", false, "input nan posinf neginf"},
    {"aten::logit", logit, "Maximum Minimum Subtract Divide Log", false, "input eps"},
    {"aten::copysign", binary_function, "Abs Less Divide LogicalOr Negative Select", false, kPair},
    {"aten::float_power", float_power, "Power", false, kPair},
    {"aten::fmax", binary_function, "Maximum IsNaN Select", false, kPair},
    {"aten::fmin", binary_function, "Minimum IsNaN Select", false, kPair},
    {"aten::heaviside", binary_function, "Greater Equal Select", false, kPair},
    {"aten::ldexp", binary_function, "Power Multiply", false, kPair},
    {"aten::logaddexp2", binary_function, kLogSum, false, kPair},
    {"aten::special_xlog1py", binary_function,
     "Add Log Subtract Equal IsInf LogicalOr Select Divide Multiply IsNaN LogicalNot LogicalAnd", false,
     kPair},
    {"aten::fake_quantize_per_tensor_affine", fake_quantize, "Divide Round Add Clamp Subtract Multiply",
     false, "input scale zero_point quant_min quant_max"},
    {"aten::fake_quantize_per_channel_affine", fake_quantize, "Divide Round Add Clamp Subtract Multiply",
     false, "input scale zero_point axis quant_min quant_max"},
    {"aten::isclose", isclose, kCloseness, false, "input other rtol atol equal_nan"},
    {"aten::allclose", allclose, kAllCloseness, false, "input other rtol atol equal_nan"},
    {"aten::xlogy", binary_function, "Log Multiply Equal IsNaN LogicalNot LogicalAnd Select", false, kPair},
    {"torch.eq", binary_function, "Equal"},
    {"torch.ne", binary_function, "NotEqual"},
    {"torch.lt", binary_function, "Less"},
    {"torch.le", binary_function, "LessEqual"},
    {"torch.gt", binary_function, "Greater"},
    {"torch.ge", binary_function, "GreaterEqual"},
    {"torch.atan2", binary_function, "Abs Less LogicalOr Select Divide Atan Add Subtract Negative Equal"},
    {"torch.fmod", binary_function, "Mod"},
    {"torch.logaddexp", binary_function, kLogSum},
    {"torch.maximum", binary_function, "Maximum"},
    {"torch.minimum", binary_function, "Minimum"},
    {"torch.pow", binary_function, "Power Equal Less LogicalAnd Select"},
    {"torch.remainder", binary_function, "FloorMod"},
    {"torch.logical_and", logical, "LogicalAnd"},
    {"torch.logical_or", logical, "LogicalOr"},
    {"torch.logical_xor", logical, "LogicalXor"},
    {"torch.bitwise_and", bitwise, "BitwiseAnd LogicalAnd"},
    {"torch.bitwise_or", bitwise, "BitwiseOr LogicalOr"},
    {"torch.bitwise_xor", bitwise, "BitwiseXor LogicalXor"},
    {"torch.bitwise_left_shift", shift, "BitwiseLeftShift"},
    {"torch.bitwise_right_shift", shift, "BitwiseRightShift"},
    {"torch.positive", positive, ""},
    {"aten::hypot", hypot, "Abs Less Select Divide Multiply Add Sqrt Equal IsInf LogicalOr"},
    {"torch.clamp", clamp, "Clamp Maximum Minimum"},
    {"aten::clamp_min", clamp_min, "Maximum", false, "input min"},
    {"aten::clamp_max", clamp_max, "Minimum", false, "input max"},
    {"torch.where", where, "Select"},
    {"Tensor.masked_fill", masked_fill, "Select"},
    {"torch.masked_fill", masked_fill, "Select"},
    {"torch.addcmul", addcmul, "Multiply Add"},
    {"aten::addcmul", addcmul, "Multiply Add", false, "input tensor1 tensor2 value"},
    {"torch.addcdiv", addcdiv, "Divide Multiply Add"},
    {"aten::addcdiv", addcdiv, "Divide Multiply Add", false, "input tensor1 tensor2 value"},
    {"torch.lerp", lerp, "Subtract Multiply Add Abs Less Select"},
    {"aten::lerp", lerp, "Subtract Multiply Add Abs Less Select", false, "input end weight"},
};

}  // namespace

std::span<const Entry> elementwise() { return kEntries; }

}  // namespace wasmvino::pnnx
