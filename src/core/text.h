// SPDX-License-Identifier: Apache-2.0
// Concatenates texts and values without streams, which cost 200 KB of wasm: cat("shape ", shape, " at ", 3).
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/element_type.h"
#include "core/shape.h"

namespace wasmvino {

// The shortest decimal form that parses to the same value: "0.1", "-inf", "nan".
std::string to_string(double value);

// Compares with A to Z equal to a to z.
bool equal_ignoring_case(std::string_view a, std::string_view b);

// `text` without leading and trailing blanks and line ends.
std::string_view trim(std::string_view text);

// The lines of `text`, without their line ends. The last line need not have one.
std::vector<std::string> lines_of(std::string_view text);

// One part of a text, stored and not yet formatted. A place that can fail then costs a few stores and one
// call. Formatting code for each combination of parts would take a tenth of the engine. Conversions are
// implicit because parts are written as arguments.
class TextPart {
 public:
  TextPart(std::string_view text)
      : kind_(Kind::kText), pointer_(text.data()), number_(static_cast<int64_t>(text.size())) {}
  TextPart(const char* text) : TextPart(std::string_view(text)) {}
  TextPart(const std::string& text) : TextPart(std::string_view(text)) {}
  TextPart(char letter) : kind_(Kind::kLetter), number_(letter) {}
  template <std::integral T>
  TextPart(T number)
      : kind_(std::is_unsigned_v<T> ? Kind::kUnsigned : Kind::kInteger),
        number_(static_cast<int64_t>(number)) {}
  TextPart(const double& number) : kind_(Kind::kReal), pointer_(&number) {}
  TextPart(const float& number) : kind_(Kind::kFloat), pointer_(&number) {}
  TextPart(ElementType type) : kind_(Kind::kElementType), number_(static_cast<int64_t>(type)) {}
  TextPart(const Shape& shape) : kind_(Kind::kShape), pointer_(&shape) {}
  TextPart(const PartialShape& shape) : kind_(Kind::kPartialShape), pointer_(&shape) {}
  TextPart(const Dimension& dimension) : kind_(Kind::kDimension), pointer_(&dimension) {}

  void append_to(std::string& out) const;

 private:
  enum class Kind : uint8_t {
    kText,
    kLetter,
    kInteger,
    kUnsigned,
    kReal,
    kFloat,
    kElementType,
    kShape,
    kPartialShape,
    kDimension,
  };
  Kind kind_;
  const void* pointer_ = nullptr;
  int64_t number_ = 0;
};

std::string join(std::initializer_list<TextPart> parts);

// The parts, concatenated.
template <typename... Parts>
std::string cat(const Parts&... parts) {
  return join({TextPart(parts)...});
}

}  // namespace wasmvino
