// SPDX-License-Identifier: Apache-2.0
// Conversions of element types.
#include <limits>

#include "core/type_set.h"
#include "frontends/onnx/families.h"
#include "frontends/onnx/operands.h"

namespace wasmvino::onnx {
namespace {

using namespace frontends::build;  // NOLINT: builder functions are written in terms of these throughout

// Powers of two, from the exponents of f32. OpenVINO's Convert rounds to nearest.
Source power_of_two(Context& c, const Source& x) {
  const std::string mode = c.word("round_mode", "up");
  if (mode != "up" && mode != "down" && mode != "nearest")
    fail(ErrorCode::kInvalidModel, "its attribute round_mode is '", mode, "', expected up, down or nearest");
  model::Builder& b = c.b();
  const auto number = [&](int64_t value) { return b.scalar(static_cast<double>(value), ElementType::kI32); };
  const auto has = [&](const Source& bits, int64_t mask) {
    return b.add("NotEqual", {b.add("BitwiseAnd", {bits, number(mask)}), number(0)});
  };
  const Source bits =
      b.add_of("ai.onnx", "BitCast", {convert(b, x, ElementType::kF32)}, {{"to", ElementType::kI32}});
  Source exponent = b.add("BitwiseRightShift", {b.add("BitwiseAnd", {bits, number(0x7fffffff)}), number(23)});
  if (mode != "down") {
    Source up = has(bits, 0x7fffff);
    if (mode == "nearest") {
      const Source beyond =
          b.add("LogicalOr", {has(bits, 0x3fffff), b.add("Greater", {exponent, number(0)})});
      up = b.add("LogicalAnd", {has(bits, 0x400000), beyond});
    }
    // 255 is NaN.
    const Source most = number(c.flag("saturate", true) ? 254 : 255);
    up = b.add("LogicalAnd", {up, b.add("Less", {exponent, most})});
    exponent = b.add("Add", {exponent, b.add("Select", {up, number(1), number(0)})});
  }
  return b.add_of("ai.onnx", "BitCast", {convert(b, exponent, ElementType::kU8)},
                  {{"to", ElementType::kF8e8m0}});
}

// Numbers beyond the range of an 8-bit type become its largest ones or, without the attribute saturate,
// infinite, or NaN if there is no infinity.
Source cast_to(Context& c, Source x, ElementType type) {
  model::Builder& b = c.b();
  const ElementType from = b.type(x);
  const bool is_small = type == ElementType::kF8e4m3 || type == ElementType::kF8e5m2 ||
                        type == ElementType::kF4e2m1 || type == ElementType::kF8e8m0;
  if (!is_small || from == type || !is_real(from)) return convert(b, x, type);
  if (!kFloats.contains(from)) x = convert(b, x, ElementType::kF32);
  if (type == ElementType::kF8e8m0) return power_of_two(c, x);
  const bool saturate = c.flag("saturate", true);
  if (saturate && (type == ElementType::kF8e5m2 || type == ElementType::kF8e4m3)) {
    const double most = type == ElementType::kF8e5m2 ? 57344 : 448;
    x = b.add("Select", {b.add("IsNaN", {x}), x, b.add("Clamp", {x}, {{"min", -most}, {"max", most}})});
  } else if (type == ElementType::kF8e4m3) {
    const Source beyond = b.add("Greater", {b.add("Abs", {x}), number_like(b, 464, x)});
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const Source negative = b.add("Less", {x, number_like(b, 0, x)});
    const Source signed_nan = b.add("Select", {negative, number_like(b, -nan, x), number_like(b, nan, x)});
    x = b.add("Select", {beyond, signed_nan, x});
  } else if (type == ElementType::kF4e2m1) {
    x = b.add("Select", {b.add("IsNaN", {x}), number_like(b, -0.0, x), x});
  }
  return convert(b, x, type);
}

void cast(Context& c) { c.give(cast_to(c, c.input(), c.element_type("to"))); }

// The type as a word: "FLOAT".
void legacy_cast(Context& c) {
  constexpr std::pair<std::string_view, ElementType> kNames[] = {
      {"FLOAT", ElementType::kF32},  {"UINT8", ElementType::kU8},     {"INT8", ElementType::kI8},
      {"UINT16", ElementType::kU16}, {"INT16", ElementType::kI16},    {"INT32", ElementType::kI32},
      {"INT64", ElementType::kI64},  {"BOOL", ElementType::kBoolean}, {"FLOAT16", ElementType::kF16},
      {"DOUBLE", ElementType::kF64}, {"UINT32", ElementType::kU32},   {"UINT64", ElementType::kU64}};
  const std::string to = c.word("to");
  for (const auto& [name, type] : kNames) {
    if (equal_ignoring_case(to, name)) return c.give(convert(c.b(), c.input(), type));
  }
  fail(ErrorCode::kUnsupported, "converts to the unsupported element type '", to, "'");
}

void cast_like(Context& c) { c.give(cast_to(c, c.input(0), c.b().type(c.input(1)))); }

constexpr Entry kEntries[] = {
    {"Cast", until(5), legacy_cast, "Convert"},
    {"Cast", since(6), cast, "Convert"},
    {"CastLike", kAllOpsets, cast_like, "Convert"},
};

}  // namespace

std::span<const Entry> casts() { return kEntries; }

}  // namespace wasmvino::onnx
