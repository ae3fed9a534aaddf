// SPDX-License-Identifier: Apache-2.0
#include "model/attribute_writer.h"

#include "core/text.h"

namespace wasmvino::model {
namespace {

template <typename List>
std::string list_text(const List& items) {
  std::string text;
  for (const auto& item : items) text += cat(text.empty() ? "" : ",", item);
  return text;
}

template <typename T>
std::string text_of(const T& value) {
  return cat(value);
}
std::string text_of(bool value) { return value ? "true" : "false"; }
std::string text_of(const std::vector<std::string>& value) { return list_text(value); }
std::string text_of(const Ints& value) { return list_text(value); }
std::string text_of(const Floats& value) { return list_text(value); }
std::string text_of(const PartialShape& value) {
  const std::string text = to_string(value);  // with brackets, which the IR omits
  return text.substr(1, text.size() - 2);
}

}  // namespace

void AttributeWriter::visit(std::string_view name, AttributePlace place) {
  std::visit([&](const auto* value) { add(name, text_of(*value)); }, place);
}

void AttributeWriter::on_choice(std::string_view name, int& value,
                                std::initializer_list<std::string_view> words) {
  add(name, std::string(words.begin()[value]));
}

}  // namespace wasmvino::model
