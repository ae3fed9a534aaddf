// SPDX-License-Identifier: Apache-2.0
#include "core/element_type.h"

#include <cstdint>
#include <string>

#include "core/error.h"

namespace wasmvino {
namespace {

struct Row {
  std::string_view name;
  std::string_view precision;
  size_t bits;
};

// In the order of the enumeration.
constexpr Row kRows[kElementTypeCount] = {
    {"dynamic", "UNSPECIFIED", 0},
    {"boolean", "BOOL", 8},
    {"bf16", "BF16", 16},
    {"f16", "FP16", 16},
    {"f32", "FP32", 32},
    {"f64", "FP64", 64},
    {"i4", "I4", 4},
    {"i8", "I8", 8},
    {"i16", "I16", 16},
    {"i32", "I32", 32},
    {"i64", "I64", 64},
    {"u1", "BIN", 1},
    {"u2", "U2", 2},
    {"u3", "U3", 3},
    {"u4", "U4", 4},
    {"u6", "U6", 6},
    {"u8", "U8", 8},
    {"u16", "U16", 16},
    {"u32", "U32", 32},
    {"u64", "U64", 64},
    {"nf4", "NF4", 4},
    {"f8e4m3", "F8E4M3", 8},
    {"f8e5m2", "F8E5M2", 8},
    {"f4e2m1", "F4E2M1", 4},
    {"f8e8m0", "F8E8M0", 8},
    {"string", "STRING", 8 * sizeof(std::string)},
};

const Row& row(ElementType type) { return kRows[static_cast<size_t>(type)]; }

}  // namespace

std::string_view name(ElementType type) { return row(type).name; }
std::string_view precision(ElementType type) { return row(type).precision; }
size_t bit_width(ElementType type) { return row(type).bits; }

std::optional<ElementType> parse_element_type(std::string_view text) {
  for (size_t i = 0; i < kElementTypeCount; ++i) {
    if (kRows[i].name == text) return static_cast<ElementType>(i);
  }
  return std::nullopt;
}

ElementType require_element_type(std::string_view text) {
  const auto type = parse_element_type(text);
  if (!type) fail(ErrorCode::kInvalidType, "there is no element type '", text, "'");
  return *type;
}

std::optional<ElementType> parse_precision(std::string_view text) {
  for (size_t i = 0; i < kElementTypeCount; ++i) {
    if (equal_ignoring_case(kRows[i].precision, text) || equal_ignoring_case(kRows[i].name, text)) {
      return static_cast<ElementType>(i);
    }
  }
  return std::nullopt;
}

bool is_addressable(ElementType type, size_t count) {
  const size_t bits = bit_width(type);
  return bits == 0 || count / 8 <= static_cast<size_t>(PTRDIFF_MAX) / bits;
}

size_t storage_bytes(ElementType type, size_t count) {
  const size_t bits = bit_width(type);
  if (!is_addressable(type, count)) {
    fail(ErrorCode::kOutOfMemory, "no memory for ", count, " elements of type ", type);
  }
  switch (type) {
    case ElementType::kU3:
      return (count + 7) / 8 * 3;
    case ElementType::kU6:
      return (count + 3) / 4 * 3;
    default:
      return bits % 8 == 0 ? count * (bits / 8) : count / 8 * bits + (count % 8 * bits + 7) / 8;
  }
}

}  // namespace wasmvino
