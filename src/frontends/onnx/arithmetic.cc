// SPDX-License-Identifier: Apache-2.0
// Arithmetic and functions of numbers, element by element.
#include <algorithm>

#include "frontends/onnx/families.h"
#include "frontends/onnx/operands.h"

namespace wasmvino::onnx {
namespace {

using namespace frontends::build;  // NOLINT: builder functions are written in terms of these throughout

Source quotient(Context& c, const Source& a, const Source& b) {
  // Integers are divided towards zero.
  return c.b().add("Divide", {a, b}, {{"m_pythondiv", false}});
}
void divide(Context& c) { c.give(quotient(c, c.input(0), c.input(1))); }
void legacy_divide(Context& c) { c.give(quotient(c, c.input(0), legacy_operand(c))); }

// The result has the type of the base.
Source power_of(Context& c, const Source& base, const Source& exponent) {
  const ElementType type = c.b().type(base);
  if (is_real(type) || !is_real(c.b().type(exponent)))
    return c.b().add("Power", {base, convert(c.b(), exponent, type)});
  const Source real = c.b().add(
      "Power", {convert(c.b(), base, ElementType::kF64), convert(c.b(), exponent, ElementType::kF64)});
  return convert(c.b(), real, type);
}
void power(Context& c) { c.give(power_of(c, c.input(0), c.input(1))); }
void legacy_power(Context& c) { c.give(power_of(c, c.input(0), legacy_operand(c))); }

void mod(Context& c) { c.give(c.b().add(c.flag("fmod") ? "Mod" : "FloorMod", {c.input(0), c.input(1)})); }

void reciprocal(Context& c) { c.give(quotient(c, number_like(c.b(), 1, c.input()), c.input())); }

void round(Context& c) { c.give(c.b().add("Round", {c.input()}, {{"mode", "half_to_even"}})); }

// The inputs, combined from left to right.
Source folded(Context& c) {
  if (c.input_count() == 0) fail(ErrorCode::kInvalidModel, "has no inputs, expected at least one");
  Source made = c.input(0);
  for (size_t i = 1; i < c.input_count(); ++i) made = c.b().add(c.operation(), std::vector{made, c.input(i)});
  return made;
}
void fold(Context& c) { c.give(folded(c)); }
void mean(Context& c) {
  const Source sum = folded(c);
  c.give(c.b().add("Divide", {sum, number_like(c.b(), static_cast<double>(c.input_count()), sum)}));
}

void clip_between(Context& c, std::optional<Source> least, std::optional<Source> most) {
  Source made = c.input();
  const auto bound = [&](const Source& number) -> std::optional<double> {
    const auto& known = c.b().info(number).constant;
    if (known == nullptr || known->shape().size() > 1) return std::nullopt;
    const auto values = to_doubles(known->value().view());
    return values.size() == 1 ? std::optional(values[0]) : std::nullopt;
  };
  // Known bounds make the operation that passes fuse.
  if (least && most && is_real(c.b().type(made)) && c.b().type(made) != ElementType::kF64) {
    const auto low = bound(*least), high = bound(*most);
    if (low && high && *low <= *high)
      return c.give(c.b().add("Clamp", {made}, {{"min", *low}, {"max", *high}}));
  }
  if (least) made = c.b().add("Maximum", {made, *least});
  if (most) made = c.b().add("Minimum", {made, *most});
  c.give(made);
}
void clip(Context& c) { clip_between(c, c.find_input(1), c.find_input(2)); }
void legacy_clip(Context& c) {
  const auto bound = [&](const char* name) {
    return c.has(name) ? std::optional(number_like(c.b(), c.real(name), c.input())) : std::nullopt;
  };
  clip_between(c, bound("min"), bound("max"));
}

// Shifts by a negative number or by the width of the type or more move all bits out.
void bit_shift(Context& c) {
  const std::string direction = c.word("direction");
  if (direction != "LEFT" && direction != "RIGHT")
    fail(ErrorCode::kInvalidModel, "shifts in the direction '", direction, "', expected LEFT or RIGHT");
  model::Builder& b = c.b();
  const Source x = c.input(0), bits = c.input(1);
  const ElementType type = b.type(x);
  const auto width = static_cast<int64_t>(bit_width(type));
  const char* operation = direction == "LEFT" ? "BitwiseLeftShift" : "BitwiseRightShift";
  const auto known = b.known_ints(bits);
  if (known && std::all_of(known->begin(), known->end(), [&](int64_t n) { return n >= 0 && n < width; }))
    return c.give(b.add(operation, {x, bits}));
  Source in_range = b.add("Less", {bits, number_like(b, static_cast<double>(width), bits)});
  if (is_signed(type)) {
    in_range = b.add("LogicalAnd", {in_range, b.add("GreaterEqual", {bits, number_like(b, 0, bits)})});
    if (direction == "RIGHT") {
      // Copies of the sign remain.
      const Source most = number_like(b, static_cast<double>(width - 1), bits);
      return c.give(b.add(operation, {x, b.add("Select", {in_range, bits, most})}));
    }
  }
  const Source shifted = b.add(operation, {x, b.add("Select", {in_range, bits, number_like(b, 0, bits)})});
  c.give(b.add("Select", {in_range, shifted, number_like(b, 0, x)}));
}

void cumulative_sum(Context& c) {
  c.give(c.b().add("CumSum", {c.input(0), index_scalar(c, c.input(1))},
                   {{"exclusive", c.flag("exclusive")}, {"reverse", c.flag("reverse")}}));
}

constexpr Entry kEntries[] = {
    {"Abs", kAllOpsets, unary, "Abs"},
    {"Acos", kAllOpsets, unary, "Acos"},
    {"Acosh", kAllOpsets, unary, "Acosh"},
    {"Add", until(6), legacy_binary, "Add"},
    {"Add", since(7), binary, "Add"},
    {"Asin", kAllOpsets, unary, "Asin"},
    {"Asinh", kAllOpsets, unary, "Asinh"},
    {"Atan", kAllOpsets, unary, "Atan"},
    {"Atanh", kAllOpsets, unary, "Atanh"},
    {"BitShift", kAllOpsets, bit_shift, "BitwiseLeftShift BitwiseRightShift"},
    {"BitwiseAnd", kAllOpsets, binary, "BitwiseAnd"},
    {"BitwiseNot", kAllOpsets, unary, "BitwiseNot"},
    {"BitwiseOr", kAllOpsets, binary, "BitwiseOr"},
    {"BitwiseXor", kAllOpsets, binary, "BitwiseXor"},
    {"Ceil", kAllOpsets, unary, "Ceiling"},
    {"Clip", until(10), legacy_clip, "Clamp"},
    {"Clip", since(11), clip, "Clamp Maximum Minimum"},
    {"Cos", kAllOpsets, unary, "Cos"},
    {"Cosh", kAllOpsets, unary, "Cosh"},
    {"CumSum", kAllOpsets, cumulative_sum, "CumSum"},
    {"Div", until(6), legacy_divide, "Divide"},
    {"Div", since(7), divide, "Divide"},
    {"Erf", kAllOpsets, unary, "Erf"},
    {"Exp", kAllOpsets, unary, "Exp"},
    {"Floor", kAllOpsets, unary, "Floor"},
    {"Log", kAllOpsets, unary, "Log"},
    {"Max", kAllOpsets, fold, "Maximum"},
    {"Mean", kAllOpsets, mean, "Add Divide"},
    {"Min", kAllOpsets, fold, "Minimum"},
    {"Mod", kAllOpsets, mod, "FloorMod Mod"},
    {"Mul", until(6), legacy_binary, "Multiply"},
    {"Mul", since(7), binary, "Multiply"},
    {"Neg", kAllOpsets, unary, "Negative"},
    {"Pow", until(6), legacy_power, "Power"},
    {"Pow", since(7), power, "Power"},
    {"Reciprocal", kAllOpsets, reciprocal, "Divide"},
    {"Round", kAllOpsets, round, "Round"},
    {"Sign", kAllOpsets, unary, "Sign"},
    {"Sin", kAllOpsets, unary, "Sin"},
    {"Sinh", kAllOpsets, unary, "Sinh"},
    {"Sqrt", kAllOpsets, unary, "Sqrt"},
    {"Sub", until(6), legacy_binary, "Subtract"},
    {"Sub", since(7), binary, "Subtract"},
    {"Sum", kAllOpsets, fold, "Add"},
    {"Tan", kAllOpsets, unary, "Tan"},
    {"Tanh", kAllOpsets, unary, "Tanh"},
};

}  // namespace

std::span<const Entry> arithmetic() { return kEntries; }

}  // namespace wasmvino::onnx
