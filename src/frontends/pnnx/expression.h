// SPDX-License-Identifier: Apache-2.0
// Parses the text of a pnnx.Expression: "add(mul(@0,2),size(@1,0))", "[size(@0,0),8]", "3".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wasmvino::pnnx {

struct Expression {
  enum class Kind { kInput, kNumber, kComplex, kWord, kCall, kList };
  Kind kind = Kind::kWord;
  std::string text;                   // the word, or the function's name
  size_t input = 0;                   // of a kInput: @0 is 0
  double number = 0;                  // of a kNumber
  bool integral = false;              // written without decimal point and exponent
  double imaginary = 0;               // of a kComplex, whose real part is `number`
  std::vector<Expression> arguments;  // of a call; the elements of a list
};

// Throws Error(kInvalidModel), which shows where parsing failed.
Expression parse_expression(std::string_view text);

}  // namespace wasmvino::pnnx
