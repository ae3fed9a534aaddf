// SPDX-License-Identifier: Apache-2.0
#include "frontends/pnnx/param.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "core/call.h"
#include "core/number_text.h"
#include "core/work.h"

namespace wasmvino::pnnx {
namespace {

// Removes the next word from the front of a line and returns it; empty at the end of the line.
std::string_view next_word(std::string_view& line) {
  constexpr std::string_view kBlanks = " \t\r";
  const size_t first = std::min(line.find_first_not_of(kBlanks), line.size());
  const size_t end = std::min(line.find_first_of(kBlanks, first), line.size());
  const std::string_view word = line.substr(first, end - first);
  line.remove_prefix(end);
  return word;
}

std::string_view next_line(std::string_view& text) {
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

bool begins_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text[0] >= '0' && text[0] <= '9';
}

bool is_real_text(std::string_view text) { return text.find_first_of(".e") != std::string_view::npos; }

template <typename Visit>
void for_each_item(std::string_view list, Visit visit) {
  while (true) {
    const size_t comma = list.find(',');
    visit(list.substr(0, comma));
    if (comma == std::string_view::npos) return;
    list.remove_prefix(comma + 1);
  }
}

// The items of "(a,b)" or "[a,b]"; nullopt if the text is not a list.
std::optional<std::string_view> list_items(std::string_view text) {
  if (text.size() < 2) return std::nullopt;
  const bool round = text.front() == '(' && text.back() == ')',
             square = text.front() == '[' && text.back() == ']';
  if (!round && !square) return std::nullopt;
  return text.substr(1, text.size() - 2);
}

// The value of a list. The texts of its items determine its type. nullopt if all items look like numbers but
// one is not a number.
std::optional<Parameter> parse_list(std::string_view items) {
  bool all_numbers = true, any_real = false;
  for_each_item(items, [&](std::string_view item) {
    all_numbers &= begins_number(item);
    any_real |= is_real_text(item);
  });
  if (!all_numbers) {
    std::vector<std::string> words;
    for_each_item(items, [&](std::string_view item) { words.emplace_back(item); });
    return words;
  }
  bool valid = true;
  if (any_real) {
    std::vector<double> numbers;
    for_each_item(items, [&](std::string_view item) {
      const std::optional<double> number = parse_real(item);
      valid &= number.has_value();
      numbers.push_back(number.value_or(0));
    });
    return valid ? std::optional<Parameter>(std::move(numbers)) : std::nullopt;
  }
  Ints integers;
  for_each_item(items, [&](std::string_view item) {
    const std::optional<int64_t> integer = parse_integer(item);
    valid &= integer.has_value();
    integers.push_back(integer.value_or(0));
  });
  return valid ? std::optional<Parameter>(std::move(integers)) : std::nullopt;
}

std::optional<Parameter> parse_value(std::string_view text) {
  if (text == "None" || text == "()" || text == "[]") return None();
  if (text == "True" || text == "False") return text == "True";
  if (const auto items = list_items(text); items && text.front() == '(') return parse_list(*items);
  if (!begins_number(text)) return std::string(text);
  if (parse_complex(text)) return std::string(text);
  if (is_real_text(text)) {
    const std::optional<double> number = parse_real(text);
    return number ? std::optional<Parameter>(*number) : std::nullopt;
  }
  const std::optional<int64_t> integer = parse_integer(text);
  return integer ? std::optional<Parameter>(*integer) : std::nullopt;
}

// "(1,?,3)f32": sizes and an element type.
struct TypedShape {
  PartialShape shape;
  ElementType type = ElementType::kDynamic;
  bool is_complex = false;  // as in Operand
};

// The type of the parts of a complex type; kDynamic for any other text.
ElementType parse_complex_type(std::string_view text) {
  return text == "c64"    ? ElementType::kF32
         : text == "c128" ? ElementType::kF64
         : text == "c32"  ? ElementType::kF16
                          : ElementType::kDynamic;
}

TypedShape parse_typed_shape(std::string_view text, std::string_view what) {
  const size_t end = text.rfind(')');
  const auto items = end == std::string_view::npos ? std::nullopt : list_items(text.substr(0, end + 1));
  if (!items || text.front() != '(') {
    fail(ErrorCode::kInvalidModel, what, " is '", model::brief(text),
         "', expected a shape and a type such as (1,?,8)f32");
  }
  TypedShape result;
  const std::string_view type = text.substr(end + 1);
  result.type = parse_complex_type(type);
  result.is_complex = result.type != ElementType::kDynamic;
  if (!result.is_complex) result.type = parse_type(type);
  if (result.type == ElementType::kDynamic) {
    fail(ErrorCode::kUnsupported, what, " has the element type '", model::brief(type),
         "', expected f32, f64, f16, bf16, i64, i32, i16, i8, u8, bool, c32, c64 or c128");
  }
  result.shape = PartialShape::of_rank(0);
  const auto add_size = [&](std::string_view item) {
    // A size with a name, as in %batch, is dynamic too.
    const bool dynamic = item == "?" || item == "-1" || item.starts_with('%');
    const std::optional<int64_t> size = dynamic ? std::nullopt : parse_integer(item);
    if (!dynamic && (!size || *size < 0)) {
      fail(ErrorCode::kInvalidModel, what, " has the size '", model::brief(item),
           "', expected a number or ?");
    }
    result.shape.push_back(size ? Dimension(*size) : Dimension());
  };
  if (!items->empty()) for_each_item(*items, add_size);
  if (result.is_complex) result.shape.push_back(2);
  return result;
}

class Parser {
 public:
  Parser(std::string_view text, model::Problems& problems) : text_(text), problems_(problems) {}

  Graph parse() {
    if (!parse_head()) return {};
    while (!text_.empty()) {
      std::string_view line = next_line(text_);
      ++line_;
      current_call().poll();
      std::string_view rest = line;
      if (next_word(rest).empty()) continue;
      parse_operator(line);
    }
    if (graph_.operators.size() != declared_) {
      problems_.add(ErrorCode::kInvalidModel,
                    cat("the .param has ", graph_.operators.size(), " operators, line 2 declares ", declared_,
                        ": the file is cut off or was edited"));
    }
    return std::move(graph_);
  }

 private:
  bool parse_head() {
    std::string_view line = next_line(text_);
    const std::string_view magic = next_word(line);
    if (magic != kMagic) {
      problems_.add(ErrorCode::kInvalidModel, cat("the .param begins with '", model::brief(magic),
                                                  "', expected the magic number ", kMagic));
      return false;
    }
    line = next_line(text_);
    line_ = 2;
    const std::string_view counts = line;
    const std::optional<int64_t> operators = parse_integer(next_word(line));
    const std::optional<int64_t> operands = parse_integer(next_word(line));
    if (!operators || !operands || *operators < 0 || *operands < 0) {
      problems_.add(ErrorCode::kInvalidModel, cat("line 2 of the .param is '", model::brief(counts),
                                                  "', expected the numbers of operators and operands"));
      return false;
    }
    declared_ = static_cast<uint64_t>(*operators);
    return true;
  }

  void parse_operator(std::string_view line) {
    Operator made;
    made.line = line_;
    made.type = next_word(line);
    made.name = next_word(line);
    parameters_of_line_.clear();
    inputs_of_line_.clear();
    try {
      const size_t inputs = count(line, "inputs"), outputs = count(line, "outputs");
      for (size_t i = 0; i < inputs; ++i) made.inputs.push_back(read_operand(next_word(line)));
      for (size_t i = 0; i < outputs; ++i) made.outputs.push_back(new_operand(next_word(line)));
      made.input_names.resize(inputs);
      for (std::string_view word = next_word(line); !word.empty(); word = next_word(line))
        parse_pair(word, made);
    } catch (const Error& error) {
      problems_.add(made.location(), error);
    }
    graph_.operators.push_back(std::move(made));
  }

  size_t count(std::string_view& line, std::string_view what) {
    const std::string_view word = next_word(line);
    const std::optional<int64_t> number = parse_integer(word);
    // Each operand takes at least two bytes of the line.
    if (!number || *number < 0 || static_cast<uint64_t>(*number) > line.size() / 2) {
      fail(ErrorCode::kInvalidModel, "its number of ", what, " is '", model::brief(word),
           "', expected a number of operands that the line then names");
    }
    return static_cast<size_t>(*number);
  }

  size_t read_operand(std::string_view name) {
    const auto found = operands_.find(std::string(name));
    if (found == operands_.end()) {
      fail(ErrorCode::kInvalidModel, "reads the operand '", model::brief(name),
           "', which no operator before it gives");
    }
    graph_.operands[found->second].is_read = true;
    return found->second;
  }

  size_t new_operand(std::string_view name) {
    const size_t position = graph_.operands.size();
    if (name.empty()) fail(ErrorCode::kInvalidModel, "the line ends before all outputs are named");
    if (!operands_.emplace(std::string(name), position).second) {
      fail(ErrorCode::kInvalidModel, "gives the operand '", model::brief(name),
           "', which an operator before it gives");
    }
    graph_.operands.emplace_back();
    graph_.operands.back().name = name;
    return position;
  }

  void parse_pair(std::string_view word, Operator& made) {
    count_work(kWorkOfPair + word.size());
    const size_t equals = word.find('=');
    const std::string_view key = word.substr(0, equals);
    if (equals == std::string_view::npos || key.empty()) {
      fail(ErrorCode::kInvalidModel, "'", model::brief(word), "' is no parameter, expected name=value");
    }
    const std::string_view value = word.substr(equals + 1);
    switch (key[0]) {
      case '@':
        made.attributes.push_back(parse_attribute(key.substr(1), value));
        break;
      case '$':
        name_input(key.substr(1), value, made);
        break;
      case '#':
        declare(key.substr(1), value, made);
        break;
      default: {
        std::optional<Parameter> parameter = parse_value(value);
        if (!parameter) {
          fail(ErrorCode::kUnsupported, "its parameter ", model::brief(key), " is '", model::brief(value),
               "', expected None, a boolean, a number, a word or a list of them");
        }
        if (!parameters_of_line_.insert(key).second)
          fail(ErrorCode::kInvalidModel, "has the parameter ", model::brief(key), " twice");
        made.parameters.emplace_back(key, std::move(*parameter));
        if (made.parameter_text.size() < kLongestText) {
          made.parameter_text += cat(made.parameter_text.empty() ? "" : " ", model::brief(word));
        }
      }
    }
  }

  AttributeText parse_attribute(std::string_view name, std::string_view value) {
    const TypedShape typed = parse_typed_shape(value, cat("its attribute @", model::brief(name)));
    if (!typed.shape.is_static()) {
      fail(ErrorCode::kInvalidModel, "its attribute @", model::brief(name), " has the shape ", typed.shape,
           ", expected known sizes");
    }
    return {std::string(name), typed.type, typed.shape.to_shape(), typed.is_complex};
  }

  // The positions of the inputs of a line, by operand, the last one first. Each name takes one.
  std::unordered_map<size_t, std::vector<size_t>>& inputs_of_line(const Operator& made) {
    if (inputs_of_line_.empty()) {
      for (size_t i = made.inputs.size(); i-- > 0;) inputs_of_line_[made.inputs[i]].push_back(i);
    }
    return inputs_of_line_;
  }

  void name_input(std::string_view name, std::string_view operand, Operator& made) {
    const auto known = operands_.find(std::string(operand));
    auto& inputs = inputs_of_line(made);
    const auto places = known == operands_.end() ? inputs.end() : inputs.find(known->second);
    const bool found = places != inputs.end() && !places->second.empty();
    if (found) {
      made.input_names[places->second.back()] = name;
      if (!name.empty()) places->second.pop_back();
    } else {
      fail(ErrorCode::kInvalidModel, "$", model::brief(name), " names the operand '", model::brief(operand),
           "', which is none of its inputs");
    }
  }

  void declare(std::string_view name, std::string_view value, Operator& made) {
    const auto known = operands_.find(std::string(name));
    // The outputs of a line are numbered in a row.
    const bool is_output = known != operands_.end() && !made.outputs.empty() &&
                           known->second >= made.outputs.front() && known->second <= made.outputs.back();
    const bool is_input = known != operands_.end() && inputs_of_line(made).count(known->second) != 0;
    if (!is_output && !is_input) {
      fail(ErrorCode::kInvalidModel, "#", model::brief(name),
           " declares an operand that is none of its inputs and outputs");
    }
    const TypedShape typed = parse_typed_shape(value, cat("the operand '", model::brief(name), "'"));
    if (!is_output) return;
    Operand& output = graph_.operands[known->second];
    output.type = typed.type;
    output.shape = typed.shape;
    output.is_complex = typed.is_complex;
  }

  static constexpr size_t kLongestText = 400;
  // Steps of count_work(), beside those of its text.
  static constexpr size_t kWorkOfPair = 256;

  std::string_view text_;
  model::Problems& problems_;
  Graph graph_;
  std::unordered_map<std::string, size_t> operands_;
  std::unordered_set<std::string_view> parameters_of_line_;
  std::unordered_map<size_t, std::vector<size_t>> inputs_of_line_;
  uint64_t declared_ = 0;
  int line_ = 1;
};

}  // namespace

const Parameter* Operator::find(std::string_view key) const {
  for (const auto& [name, value] : parameters) {
    if (name == key) return &value;
  }
  return nullptr;
}

ElementType parse_type(std::string_view text) {
  if (text == "bool") return ElementType::kBoolean;
  for (const ElementType type :
       {ElementType::kF32, ElementType::kF64, ElementType::kF16, ElementType::kBf16, ElementType::kI64,
        ElementType::kI32, ElementType::kI16, ElementType::kI8, ElementType::kU8}) {
    if (wasmvino::name(type) == text) return type;
  }
  return ElementType::kDynamic;
}

std::optional<double> parse_special_number(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (text.ends_with(".0")) text.remove_suffix(2);
  if (text == "inf") return negative ? -HUGE_VAL : HUGE_VAL;
  return text == "nan" ? std::optional<double>(NAN) : std::nullopt;
}

std::optional<std::pair<double, double>> parse_complex(std::string_view text) {
  if (!text.ends_with('j')) return std::nullopt;
  text.remove_suffix(1);
  // The sign between the parts is the last one that does not belong to an exponent.
  size_t sign = text.size();
  while (sign > 1 && ((text[sign - 1] != '+' && text[sign - 1] != '-') || text[sign - 2] == 'e')) --sign;
  if (sign < 2) return std::nullopt;
  const std::string_view imaginary_text = text.substr(text[sign - 1] == '+' ? sign : sign - 1);
  const std::optional<double> real = parse_real(text.substr(0, sign - 1)),
                              imaginary = parse_real(imaginary_text);
  if (!real || !imaginary) return std::nullopt;
  return std::pair(*real, *imaginary);
}

Graph parse_param(std::string_view text, model::Problems& problems) { return Parser(text, problems).parse(); }

}  // namespace wasmvino::pnnx
