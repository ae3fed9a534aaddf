// SPDX-License-Identifier: Apache-2.0
// Maps an element type known at run time to a C++ type: with_type(type, [&]<typename T>() { ... }).
#pragma once

#include <cstdint>
#include <string>

#include "core/element_type.h"
#include "core/error.h"
#include "core/float_types.h"

namespace wasmvino {

[[noreturn]] inline void refuse_type(ElementType type) {
  fail(ErrorCode::kUnsupported, "element type ", type, " is not supported here");
}

// Calls body.template operator()<T>() with an unsigned integer as wide as the type, for operations that only
// copy elements. For strings T is std::string. Sub-byte types are rejected.
template <typename Body>
decltype(auto) with_storage(ElementType type, Body&& body) {
  if (type == ElementType::kString) return body.template operator()<std::string>();
  switch (is_sub_byte(type) ? 0 : bit_width(type)) {
    case 8:
      return body.template operator()<uint8_t>();
    case 16:
      return body.template operator()<uint16_t>();
    case 32:
      return body.template operator()<uint32_t>();
    case 64:
      return body.template operator()<uint64_t>();
    default:
      refuse_type(type);
  }
}

// Calls body.template operator()<T>() with the type's own C++ type: float, double, Float16, BFloat16, uint8_t
// for boolean, int8_t .. uint64_t.
template <typename Body>
decltype(auto) with_numeric(ElementType type, Body&& body) {
  switch (type) {
    case ElementType::kF32:
      return body.template operator()<float>();
    case ElementType::kF64:
      return body.template operator()<double>();
    case ElementType::kF16:
      return body.template operator()<Float16>();
    case ElementType::kBf16:
      return body.template operator()<BFloat16>();
    case ElementType::kI8:
      return body.template operator()<int8_t>();
    case ElementType::kI16:
      return body.template operator()<int16_t>();
    case ElementType::kI32:
      return body.template operator()<int32_t>();
    case ElementType::kI64:
      return body.template operator()<int64_t>();
    case ElementType::kBoolean:
    case ElementType::kU8:
      return body.template operator()<uint8_t>();
    case ElementType::kU16:
      return body.template operator()<uint16_t>();
    case ElementType::kU32:
      return body.template operator()<uint32_t>();
    case ElementType::kU64:
      return body.template operator()<uint64_t>();
    default:
      refuse_type(type);
  }
}

// Calls body.template operator()<T>() with int32_t or int64_t, the types of index inputs.
template <typename Body>
decltype(auto) with_index(ElementType type, Body&& body) {
  switch (type) {
    case ElementType::kI32:
      return body.template operator()<int32_t>();
    case ElementType::kI64:
      return body.template operator()<int64_t>();
    default:
      fail(ErrorCode::kInvalidType, "element type ", type, " is not an index type, expected i32 or i64");
  }
}

}  // namespace wasmvino
