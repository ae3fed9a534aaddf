// SPDX-License-Identifier: Apache-2.0
// The element types of OpenVINO IR: names, widths, classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace wasmvino {

enum class ElementType : uint8_t {
  kDynamic,
  kBoolean,
  kBf16,
  kF16,
  kF32,
  kF64,
  kI4,
  kI8,
  kI16,
  kI32,
  kI64,
  kU1,
  kU2,
  kU3,
  kU4,
  kU6,
  kU8,
  kU16,
  kU32,
  kU64,
  kNf4,
  kF8e4m3,
  kF8e5m2,
  kF4e2m1,
  kF8e8m0,
  kString,
};
inline constexpr size_t kElementTypeCount = static_cast<size_t>(ElementType::kString) + 1;

// The lower-case name that attributes use: "f32", "boolean", "dynamic" ...
std::string_view name(ElementType type);

// Parses the lower-case name that attributes use (`f32`); nullopt for any other text.
std::optional<ElementType> parse_element_type(std::string_view text);
// The same, but throws Error(kInvalidType) for any other text.
ElementType require_element_type(std::string_view text);

// The name that ports of OpenVINO IR use: "FP32", "BOOL", "BIN" ...
std::string_view precision(ElementType type);

// Parses the names that a port's `precision` may contain: `FP32`, `f32`, `BOOL`, `BIN` ..., in any letter
// case.
std::optional<ElementType> parse_precision(std::string_view text);

// Bits of one element in memory; 0 for dynamic. For strings, this is the size of the std::string object.
size_t bit_width(ElementType type);

// Whether the elements take at most half the address space.
bool is_addressable(ElementType type, size_t count);
// Bytes that `count` elements take. Sub-byte types are packed without gaps; u3 and u6 in groups of 3 bytes.
// Throws Error(kOutOfMemory) if they are not addressable.
size_t storage_bytes(ElementType type, size_t count);

constexpr bool is_sub_byte(ElementType type) {
  switch (type) {
    case ElementType::kI4:
    case ElementType::kU1:
    case ElementType::kU2:
    case ElementType::kU3:
    case ElementType::kU4:
    case ElementType::kU6:
    case ElementType::kNf4:
    case ElementType::kF4e2m1:
      return true;
    default:
      return false;
  }
}

// Floating-point types of any width.
constexpr bool is_real(ElementType type) {
  switch (type) {
    case ElementType::kBf16:
    case ElementType::kF16:
    case ElementType::kF32:
    case ElementType::kF64:
    case ElementType::kNf4:
    case ElementType::kF8e4m3:
    case ElementType::kF8e5m2:
    case ElementType::kF4e2m1:
    case ElementType::kF8e8m0:
      return true;
    default:
      return false;
  }
}

constexpr bool is_half_precision(ElementType type) {
  return type == ElementType::kF16 || type == ElementType::kBf16;
}

// Integers of any width. Boolean is not one.
constexpr bool is_integral(ElementType type) {
  return type != ElementType::kDynamic && type != ElementType::kBoolean && type != ElementType::kString &&
         !is_real(type);
}

constexpr bool is_signed(ElementType type) {
  switch (type) {
    case ElementType::kI4:
    case ElementType::kI8:
    case ElementType::kI16:
    case ElementType::kI32:
    case ElementType::kI64:
      return true;
    default:
      return is_real(type);
  }
}

}  // namespace wasmvino
