// SPDX-License-Identifier: Apache-2.0
// cat("shape ", shape, " at ", 3): texts from parts, without streams (which cost 200 KB of wasm).
#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include "core/element_type.h"
#include "core/shape.h"

namespace wasmvino {

// Shortest decimal form that reads back as the same value: "0.1", "-inf", "nan".
std::string to_string(double value);

// Letters A to Z count as a to z.
bool equal_ignoring_case(std::string_view a, std::string_view b);

namespace text_internal {
inline void append(std::string& out, std::string_view part) { out += part; }
inline void append(std::string& out, char part) { out += part; }
inline void append(std::string& out, ElementType part) { out += name(part); }
inline void append(std::string& out, const Shape& part) { out += to_string(part); }
inline void append(std::string& out, const PartialShape& part) { out += to_string(part); }
inline void append(std::string& out, Dimension part) { out += to_string(part); }
inline void append(std::string& out, double part) { out += to_string(part); }
template <std::integral T>
void append(std::string& out, T part) {
  out += std::to_string(part);
}
}  // namespace text_internal

template <typename... Parts>
std::string cat(const Parts&... parts) {
  std::string out;
  (text_internal::append(out, parts), ...);
  return out;
}

}  // namespace wasmvino
