// SPDX-License-Identifier: Apache-2.0
// The parsed text of a .param: operators, operands (the edges between operators) and parameters.
// https://github.com/Tencent/ncnn/wiki/pnnx#the-pnnxparam-format
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/problems.h"

namespace wasmvino::pnnx {

// The first line of every .param.
inline constexpr std::string_view kMagic = "7767517";

struct None {};
using Parameter = std::variant<None, bool, int64_t, double, std::string, Ints, std::vector<double>,
                               std::vector<std::string>>;

// A weight: @name=(shape)type. Its bytes are the entry "operator.name" of the .bin.
struct AttributeText {
  std::string name;
  ElementType type = ElementType::kDynamic;
  Shape shape;
  bool is_complex = false;  // as in Operand
};

// An edge between operators, by its name in the file. A ? in its declared shape is a dynamic dimension.
struct Operand {
  std::string name;
  ElementType type = ElementType::kDynamic;  // if nothing is declared: kDynamic and unknown rank
  PartialShape shape;
  bool is_complex = false;  // then `type` is that of the parts, and the last axis of `shape` holds them
  bool is_read = false;     // some operator has it as an input
};

struct Operator {
  std::string type, name;
  int line = 0;
  std::vector<size_t> inputs, outputs;  // indices into Graph::operands
  std::vector<std::pair<std::string, Parameter>> parameters;
  std::vector<AttributeText> attributes;
  std::vector<std::string> input_names;  // $name=operand, by input; empty if there are none

  model::Location location() const { return {name, type, -1, 0, line}; }
  // The parameter of that name, or nullptr.
  const Parameter* find(std::string_view key) const;
  // "stride=(2,2) bias=True": the parameters as in the file, shortened to a length that fits a message.
  std::string parameter_text;
};

struct Graph {
  std::vector<Operand> operands;
  std::vector<Operator> operators;
};

// Parses a .param and adds its problems to `problems`. An operand must be produced before it is used, so
// operators are in an order of execution.
Graph parse_param(std::string_view text, model::Problems& problems);

// The element type that the file calls "f32", "bool" ...; kDynamic for any other text.
ElementType parse_type(std::string_view text);

// Infinity or NaN, as Python and C's printf write them, also with ".0" behind; nullopt for any other text.
std::optional<double> parse_special_number(std::string_view text);

// The real and the imaginary part of "1.5e+00-2.0e+00j"; nullopt for any other text.
std::optional<std::pair<double, double>> parse_complex(std::string_view text);

}  // namespace wasmvino::pnnx
