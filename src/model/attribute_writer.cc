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

}  // namespace

void AttributeWriter::on(std::string_view name, int64_t& value) { add(name, cat(value)); }
void AttributeWriter::on(std::string_view name, double& value) { add(name, cat(value)); }
void AttributeWriter::on(std::string_view name, bool& value) { add(name, value ? "true" : "false"); }
void AttributeWriter::on(std::string_view name, std::string& value) { add(name, value); }
void AttributeWriter::on(std::string_view name, std::vector<std::string>& value) {
  add(name, list_text(value));
}
void AttributeWriter::on(std::string_view name, Ints& value) { add(name, list_text(value)); }
void AttributeWriter::on(std::string_view name, Floats& value) { add(name, list_text(value)); }
void AttributeWriter::on(std::string_view name, ElementType& value) { add(name, cat(value)); }

void AttributeWriter::on(std::string_view name, PartialShape& value) {
  const std::string text = to_string(value);  // in brackets, which the IR leaves out
  add(name, text.substr(1, text.size() - 2));
}

void AttributeWriter::on_choice(std::string_view name, int& value,
                                std::initializer_list<std::string_view> words) {
  add(name, std::string(words.begin()[value]));
}

}  // namespace wasmvino::model
