// SPDX-License-Identifier: Apache-2.0
#include "frontends/pnnx/calls.h"

#include <algorithm>

#include "core/saturate.h"
#include "frontends/pnnx/expression.h"

namespace wasmvino::pnnx {
namespace {

// Takes the text up to a separator, which is removed, too.
std::string_view take(std::string_view& text, char separator) {
  const std::string_view part = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

// The names of the first form that has at least `count` arguments.
std::vector<std::string_view> names_of(std::string_view forms, size_t count) {
  std::vector<std::string_view> names;
  while (!forms.empty() && (names.empty() || names.size() < count)) {
    std::string_view form = take(forms, '|');
    names.clear();
    while (!form.empty()) names.push_back(take(form, ' '));
  }
  if (names.size() < count) {
    fail(ErrorCode::kUnsupported, "is called with ", count, " arguments, expected at most ", names.size());
  }
  return names;
}

// "[1,2]" as a list of integers or of real numbers; nullopt if other things are in it.
std::optional<Parameter> numbers_of(const std::string& text) {
  const Expression list = parse_expression(text);
  Ints integers;
  std::vector<double> reals;
  bool all_integral = true;
  for (const Expression& element : list.arguments) {
    if (element.kind != Expression::Kind::kNumber) return std::nullopt;
    all_integral &= element.integral;
    integers.push_back(saturated_int64(element.number));
    reals.push_back(element.number);
  }
  return all_integral ? Parameter(std::move(integers)) : Parameter(std::move(reals));
}

// The literal of an operand as a parameter; nullopt if the operand is a tensor, or a list of tensors.
std::optional<Parameter> parameter_of(const Value& value) {
  if (!value.literal) return std::nullopt;
  const auto* text = std::get_if<std::string>(&*value.literal);
  if (text == nullptr || !text->starts_with('[')) return value.literal;
  return numbers_of(*text);
}

std::string text_of(const Parameter& parameter) {
  struct Printer {
    std::string operator()(None) const { return "None"; }
    std::string operator()(bool flag) const { return flag ? "True" : "False"; }
    std::string operator()(int64_t number) const { return cat(number); }
    std::string operator()(double number) const { return cat(number); }
    std::string operator()(const std::string& word) const { return model::brief(word); }
    std::string operator()(const Ints& list) const { return model::brief(cat(list)); }
    std::string operator()(const std::vector<double>& list) const { return cat(list.size(), " numbers"); }
    std::string operator()(const std::vector<std::string>& list) const { return cat(list.size(), " words"); }
  };
  return std::visit(Printer(), parameter);
}

// Moves the inputs that `parameter` gives a value for to the parameters.
template <typename ParameterOf>
Operator moved(const Operator& op, const std::vector<std::string_view>& names, ParameterOf parameter) {
  Operator made = op;
  made.inputs.clear();
  made.input_names.clear();
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (std::optional<Parameter> value = parameter(i)) {
      made.parameter_text += cat(made.parameter_text.empty() ? "" : " ", names[i], "=", text_of(*value));
      made.parameters.emplace_back(names[i], std::move(*value));
    } else {
      made.inputs.push_back(op.inputs[i]);
      made.input_names.emplace_back(names[i]);
    }
  }
  return made;
}

}  // namespace

Operator named_call(const Operator& op, std::string_view arguments, const std::vector<Value>& values) {
  const std::vector<std::string_view> names = names_of(arguments, op.inputs.size());
  return moved(op, names, [&](size_t i) { return parameter_of(values[op.inputs[i]]); });
}

Operator with_literals(const Operator& op, const std::vector<Value>& values) {
  const auto literal = [&](size_t i) -> std::optional<Parameter> {
    if (op.input_names[i].empty()) return std::nullopt;
    const Value& value = values[op.inputs[i]];
    const auto* text = value.literal ? std::get_if<std::string>(&*value.literal) : nullptr;
    return text != nullptr && text->starts_with('[') ? std::nullopt : value.literal;
  };
  return moved(op, {op.input_names.begin(), op.input_names.end()}, literal);
}

bool repeats_weights(const Operator& op, const std::vector<Value>& values) {
  const size_t weights = op.attributes.size();
  if (!op.type.starts_with("nn.") || op.inputs.size() <= weights) return false;
  for (size_t i = 0; i < weights; ++i) {
    const std::vector<Source>& tensors = values[op.inputs[i]].tensors;
    if (tensors.size() != 1 || !model::is_constant(tensors[0]) || !op.input_names[i].empty()) return false;
  }
  return weights > 0;
}

Operator without_repeated_weights(Operator op) {
  const ptrdiff_t weights = static_cast<ptrdiff_t>(op.attributes.size());
  op.inputs.erase(op.inputs.begin(), op.inputs.begin() + weights);
  op.input_names.erase(op.input_names.begin(), op.input_names.begin() + weights);
  return op;
}

std::vector<Source> tensors_of(Context& c, size_t i) {
  const Value& value = c.value(i);
  const auto* text = value.literal ? std::get_if<std::string>(&*value.literal) : nullptr;
  if (text == nullptr || !text->starts_with('[')) {
    return value.is_tuple ? value.tensors : std::vector{c.input(i)};
  }
  if (value.elements.empty()) {
    fail(ErrorCode::kUnsupported, "its list '", model::brief(*text),
         "' has a part that is neither a number nor a tensor");
  }
  std::vector<Source> tensors;
  for (const Element& element : value.elements) {
    tensors.push_back(element.number ? c.b().scalar(*element.number,
                                                    element.integral ? ElementType::kI64 : ElementType::kF32)
                                     : element.tensor);
  }
  return tensors;
}

}  // namespace wasmvino::pnnx
