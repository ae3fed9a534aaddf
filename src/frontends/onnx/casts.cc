// SPDX-License-Identifier: Apache-2.0
// Conversions of element types.
#include "frontends/onnx/families.h"
#include "frontends/onnx/operands.h"

namespace wasmvino::onnx {
namespace {

using namespace frontends::build;  // NOLINT: builder functions are written in terms of these throughout

void cast(Context& c) { c.give(convert(c.b(), c.input(), c.element_type("to"))); }

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

void cast_like(Context& c) { c.give(convert(c.b(), c.input(0), c.b().type(c.input(1)))); }

constexpr Entry kEntries[] = {
    {"Cast", until(5), legacy_cast, "Convert"},
    {"Cast", since(6), cast, "Convert"},
    {"CastLike", kAllOpsets, cast_like, "Convert"},
};

}  // namespace

std::span<const Entry> casts() { return kEntries; }

}  // namespace wasmvino::onnx
