// SPDX-License-Identifier: Apache-2.0
// Elementwise functions that are operators of their own instead of parts of expressions.
#include <limits>

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

void binary_function(Context& c) {
  c.give(find_binary(function_name(c))(c, c.input(0), other_operand(c, "other", 1, c.input(0))));
}

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
  c.give(find_binary(name)(c, c.input(0), other_operand(c, "other", 1, c.input(0))));
}

void shift(Context& c) {
  c.give(find_binary(function_name(c) == "bitwise_left_shift" ? "lshift" : "rshift")(
      c, c.input(0), other_operand(c, "other", 1, c.input(0))));
}

void positive(Context& c) { c.give(c.input()); }

// sqrt(x * x + y * y)
void hypot(Context& c) {
  const Source x = c.input(0), y = c.input(1);
  c.give(
      c.b().add("Sqrt", {c.b().add("Add", {c.b().add("Multiply", {x, x}), c.b().add("Multiply", {y, y})})}));
}

void clamp(Context& c) {
  Source result = c.input(0);
  const bool real = is_real(c.b().type(result));
  const bool numbers = !c.is_marked("min") && !c.is_marked("max");
  if (real && numbers) {
    constexpr double kLargest = std::numeric_limits<float>::max();
    c.give(
        c.b().add("Clamp", {result}, {{"min", c.real("min", -kLargest)}, {"max", c.real("max", kLargest)}}));
    return;
  }
  if (c.has("min") || c.is_marked("min"))
    result = binary(c, "Maximum", result, other_operand(c, "min", 1, result));
  if (c.has("max") || c.is_marked("max"))
    result = binary(c, "Minimum", result, other_operand(c, "max", 2, result));
  c.give(result);
}

// ATen's calls by position, which have one bound.
void clamp_min(Context& c) { c.give(binary(c, "Maximum", c.input(0), c.input(1))); }
void clamp_max(Context& c) { c.give(binary(c, "Minimum", c.input(0), c.input(1))); }

void where(Context& c) {
  const Source condition = convert(c, c.input(0), ElementType::kBoolean);
  Source a, b;
  if (const auto found = c.find_input("input", 1)) a = *found;
  if (const auto found = c.find_input("other", 2)) b = *found;
  if (a.node == nullptr && b.node == nullptr) {
    const auto integral = [&](const char* name) {
      return c.op().find(name) != nullptr && std::holds_alternative<int64_t>(*c.op().find(name));
    };
    const bool both = integral("input") && integral("other");
    a = c.b().scalar(c.real("input"), both ? ElementType::kI64 : ElementType::kF32);
  }
  if (a.node == nullptr) a = number_like(c, c.real("input"), b);
  if (b.node == nullptr) b = number_like(c, c.real("other"), a);
  const ElementType common = promoted(c.b().type(a), c.b().type(b));
  c.give(c.b().add("Select", {condition, convert(c, a, common), convert(c, b, common)}));
}

void masked_fill(Context& c) {
  const Source x = c.input(0);
  const auto value = c.op().find("value") ? std::nullopt : c.find_input("value", 2);
  const Source filled = value ? convert(c, *value, c.b().type(x)) : number_like(c, c.real("value"), x);
  c.give(c.b().add("Select", {convert(c, c.input(1), ElementType::kBoolean), filled, x}));
}

// The number at a position of an ATen call, if present.
double literal_number(Context& c, size_t position, const char* name, double otherwise) {
  const std::optional<Parameter> found = c.find_literal(name, position);
  if (!found) return otherwise;
  if (const auto* real = std::get_if<double>(&*found)) return *real;
  if (const auto* integer = std::get_if<int64_t>(&*found)) return static_cast<double>(*integer);
  return otherwise;
}

// input + value * tensor1 * tensor2
void addcmul(Context& c) {
  const Source scaled = with_number(c, "Multiply", c.b().add("Multiply", {c.input(1), c.input(2)}),
                                    literal_number(c, 3, "value", 1));
  c.give(c.b().add("Add", {c.input(0), scaled}));
}

void addcdiv(Context& c) {
  const Source scaled = with_number(c, "Multiply", c.b().add("Divide", {c.input(1), c.input(2)}),
                                    literal_number(c, 3, "value", 1));
  c.give(c.b().add("Add", {c.input(0), scaled}));
}

// input + weight * (end - input)
void lerp(Context& c) {
  const Source difference = c.b().add("Subtract", {c.input(1), c.input(0)});
  const Source weight = c.input_count() > 2 ? c.input(2) : number_like(c, c.real("weight"), c.input(0));
  c.give(c.b().add("Add", {c.input(0), binary(c, "Multiply", difference, weight)}));
}

// Replaces NaN, and infinities by the largest finite numbers unless others are given.
void nan_to_num(Context& c) {
  const Source x = c.input();
  if (!is_real(c.b().type(x))) {
    c.give(x);
    return;
  }
  const double largest = c.b().type(x) == ElementType::kF64   ? std::numeric_limits<double>::max()
                         : c.b().type(x) == ElementType::kF16 ? 65504.0
                                                              : std::numeric_limits<float>::max();
  const auto replaced = [&](const char* function, const Source& in, double number) {
    return c.b().add("Select", {find_unary(function)(c, x), number_like(c, number, x), in});
  };
  const Source numbers = replaced("isnan", x, c.real("nan", 0));
  const Source below = replaced("isposinf", numbers, c.real("posinf", largest));
  c.give(replaced("isneginf", below, c.real("neginf", -largest)));
}

// Rounds x / scale + zero_point to the integers quant_min to quant_max, and back. Scales by channel have the
// size of their axis.
void fake_quantize(Context& c) {
  const Source x = c.input(0);
  const auto factor = [&](const char* name, size_t position) {
    if (c.op().find(name) != nullptr) return number_like(c, c.real(name), x);
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
    const double eps = c.real("eps");
    x = c.b().add("Clamp", {x}, {{"min", eps}, {"max", 1 - eps}});
  }
  c.give(c.b().add("Log", {c.b().add("Divide", {x, with_number(c, "Subtract", 1, x)})}));
}

// Whether |a - b| <= atol + rtol |b|. Equal infinities are close, NaN only on demand.
Source close_numbers(Context& c) {
  const ElementType common = promoted(c.b().type(c.input(0)), c.b().type(c.input(1)));
  const Source a = convert(c, c.input(0), common), b = convert(c, c.input(1), common);
  Source close = c.b().add("Equal", {a, b});
  const bool real = is_real(common);
  if (real && c.flag("equal_nan", false)) {
    const Source both = c.b().add("LogicalAnd", {find_unary("isnan")(c, a), find_unary("isnan")(c, b)});
    close = c.b().add("LogicalOr", {close, both});
  }
  const Source x = as_real(c, a), y = as_real(c, b);
  const Source distance = c.b().add("Abs", {c.b().add("Subtract", {x, y})});
  const Source share = with_number(c, "Multiply", c.b().add("Abs", {y}), c.real("rtol", 1e-5));
  const Source allowed = with_number(c, "Add", share, c.real("atol", 1e-8));
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

// x log(1 + y), and 0 where x is 0
void xlog1py(Context& c) {
  const Source x = as_real(c, c.input(0));
  c.give(find_binary("xlogy")(c, x, with_number(c, "Add", other_operand(c, "other", 1, x), 1)));
}

constexpr std::string_view
    kPair = "input other",
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
    {"torch.expm1", unary, "Exp Subtract"},
    {"torch.floor", unary, "Floor"},
    {"torch.lgamma", unary, "Less Subtract Select Divide Add Log Multiply Round Sin Abs"},
    {"torch.log", unary, "Log"},
    {"torch.log10", unary, "Log Multiply"},
    {"torch.log1p", unary, "Add Log"},
    {"torch.log2", unary, "Log Multiply"},
    {"torch.logical_not", unary, "LogicalNot"},
    {"torch.neg", unary, "Negative"},
    {"torch.reciprocal", unary, "Divide"},
    {"torch.round", unary, "Round"},
    {"torch.rsqrt", unary, "Sqrt Divide"},
    {"torch.sign", unary, "Sign"},
    {"torch.sin", unary, "Sin"},
    {"torch.sinh", unary, "Sinh"},
    {"torch.sqrt", unary, "Sqrt"},
    {"torch.square", unary, "Multiply"},
    {"torch.tan", unary, "Tan"},
    {"torch.tanh", unary, "Tanh"},
    {"torch.trunc", unary, "Less Ceiling Floor Select"},
    {"aten::expm1", unary, "Exp Subtract"},
    {"aten::log1p", unary, "Add Log"},
    {"aten::log2", unary, "Log Multiply"},
    {"aten::deg2rad", unary, "Multiply"},
    {"aten::erfc", unary, "Erf Subtract"},
    {"aten::exp2", unary, "Power"},
    {"aten::frac", unary, "Less Ceiling Floor Select Subtract"},
    {"aten::isfinite", unary, "IsFinite"},
    {"aten::isinf", unary, "IsInf"},
    {"aten::isnan", unary, "IsNaN"},
    {"aten::isneginf", unary, "IsInf"},
    {"aten::isposinf", unary, "IsInf"},
    {"aten::rad2deg", unary, "Multiply"},
    {"aten::sgn", unary, "Sign"},
    {"aten::signbit", unary, "Less Divide LogicalOr"},
    {"aten::sinc", unary, "Multiply Sin Divide Equal Select"},
    {"aten::special_entr", unary, "Log Multiply Equal Select Negative Less"},
    {"aten::nan_to_num", nan_to_num, "IsNaN IsInf Select", false, "input nan posinf neginf"},
    {"aten::logit", logit, "Clamp Subtract Divide Log", false, "input eps"},
    {"aten::copysign", binary_function, "Abs Less Divide LogicalOr Negative Select", false, kPair},
    {"aten::float_power", binary_function, "Power", false, kPair},
    {"aten::fmax", binary_function, "Maximum IsNaN Select", false, kPair},
    {"aten::fmin", binary_function, "Minimum IsNaN Select", false, kPair},
    {"aten::heaviside", binary_function, "Greater Equal Select", false, kPair},
    {"aten::ldexp", binary_function, "Power Multiply", false, kPair},
    {"aten::logaddexp2", binary_function, "Maximum Subtract Power Add Log Multiply", false, kPair},
    {"aten::special_xlog1py", xlog1py, "Add Log Multiply Equal Select", false, kPair},
    {"aten::fake_quantize_per_tensor_affine", fake_quantize, "Divide Round Add Clamp Subtract Multiply",
     false, "input scale zero_point quant_min quant_max"},
    {"aten::fake_quantize_per_channel_affine", fake_quantize, "Divide Round Add Clamp Subtract Multiply",
     false, "input scale zero_point axis quant_min quant_max"},
    {"aten::isclose", isclose, kCloseness, false, "input other rtol atol equal_nan"},
    {"aten::allclose", allclose, kAllCloseness, false, "input other rtol atol equal_nan"},
    {"aten::xlogy", binary_function, "Log Multiply Equal Select", false, kPair},
    {"torch.eq", binary_function, "Equal"},
    {"torch.ne", binary_function, "NotEqual"},
    {"torch.lt", binary_function, "Less"},
    {"torch.le", binary_function, "LessEqual"},
    {"torch.gt", binary_function, "Greater"},
    {"torch.ge", binary_function, "GreaterEqual"},
    {"torch.atan2", binary_function, "Less Select Divide Atan Add Equal"},
    {"torch.fmod", binary_function, "Mod"},
    {"torch.logaddexp", binary_function, "Maximum Subtract Exp Add Log"},
    {"torch.maximum", binary_function, "Maximum"},
    {"torch.minimum", binary_function, "Minimum"},
    {"torch.pow", binary_function, "Power"},
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
    {"aten::hypot", hypot, "Multiply Add Sqrt"},
    {"torch.clamp", clamp, "Clamp Maximum Minimum"},
    {"aten::clamp_min", clamp_min, "Maximum"},
    {"aten::clamp_max", clamp_max, "Minimum"},
    {"torch.where", where, "Select"},
    {"Tensor.masked_fill", masked_fill, "Select"},
    {"torch.masked_fill", masked_fill, "Select"},
    {"torch.addcmul", addcmul, "Multiply Add"},
    {"aten::addcmul", addcmul, "Multiply Add"},
    {"torch.addcdiv", addcdiv, "Divide Multiply Add"},
    {"aten::addcdiv", addcdiv, "Divide Multiply Add"},
    {"torch.lerp", lerp, "Subtract Multiply Add"},
    {"aten::lerp", lerp, "Subtract Multiply Add"},
};

}  // namespace

std::span<const Entry> elementwise() { return kEntries; }

}  // namespace wasmvino::pnnx
