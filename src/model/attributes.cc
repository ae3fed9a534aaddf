// SPDX-License-Identifier: Apache-2.0
#include "model/attributes.h"

#include "core/error.h"
#include "core/number_text.h"
#include "core/text.h"

namespace wasmvino::model {
namespace {

[[noreturn]] void refuse(std::string_view name, std::string_view text, std::string_view wanted) {
  throw Error(ErrorCode::kInvalidModel, cat("attribute '", name, "' is '", text, "', expected ", wanted))
      .expected(std::string(wanted))
      .actual(std::string(text));
}

// `digits` is the attribute's text, or an item of it.
int64_t read_integer(std::string_view name, std::string_view text, std::string_view digits) {
  const std::optional<int64_t> value = parse_integer(trim(digits));
  if (!value) refuse(name, text, "a 64-bit integer");
  return *value;
}

double read_number(std::string_view name, std::string_view text, std::string_view item) {
  const std::optional<double> value = parse_real(trim(item));
  if (!value) refuse(name, text, "a number");
  return *value;
}

template <typename Visit>
void for_each_item(std::string_view text, Visit visit) {
  text = trim(text);
  if (text.empty()) return;
  while (true) {
    const size_t comma = text.find(',');
    visit(trim(text.substr(0, comma)));
    if (comma == std::string_view::npos) return;
    text.remove_prefix(comma + 1);
  }
}

void read(std::string_view name, const std::string& text, int64_t& value) {
  value = read_integer(name, text, text);
}

void read(std::string_view name, const std::string& text, double& value) {
  value = read_number(name, text, text);
}

void read(std::string_view, const std::string& text, bool& value) {
  value = equal_ignoring_case(trim(text), "true") || trim(text) == "1";
}

void read(std::string_view, const std::string& text, std::string& value) { value = text; }

void read(std::string_view, const std::string& text, std::vector<std::string>& value) {
  value.clear();
  for_each_item(text, [&](std::string_view item) { value.emplace_back(item); });
}

void read(std::string_view name, const std::string& text, Ints& value) {
  value.clear();
  for_each_item(text, [&](std::string_view item) { value.push_back(read_integer(name, text, item)); });
}

void read(std::string_view name, const std::string& text, Floats& value) {
  value.clear();
  for_each_item(text, [&](std::string_view item) {
    value.push_back(static_cast<float>(read_number(name, text, item)));
  });
}

void read(std::string_view name, const std::string& text, ElementType& value) {
  const auto type = parse_element_type(trim(text));
  if (!type) refuse(name, text, "an element type");
  value = *type;
}

void read(std::string_view name, const std::string& text, PartialShape& value) {
  const auto shape = parse_partial_shape(text);
  if (!shape) refuse(name, text, "a shape such as 1,?,2..5 or ...");
  value = *shape;
}

}  // namespace

const std::string* AttributeReader::find(std::string_view name) const {
  for (const auto& [key, text] : texts_) {
    if (key == name) return &text;
  }
  return nullptr;
}

void AttributeReader::visit(std::string_view name, AttributePlace place) {
  const std::string* text = find(name);
  if (text == nullptr) return;
  std::visit([&](auto* value) { read(name, *text, *value); }, place);
}

void AttributeReader::on_choice(std::string_view name, int& value,
                                std::initializer_list<std::string_view> words) {
  const std::string* text = find(name);
  if (text == nullptr) return;
  int position = 0;
  std::string wanted;
  for (const std::string_view word : words) {
    if (equal_ignoring_case(trim(*text), word)) {
      value = position;
      return;
    }
    wanted += cat(position == 0 ? "" : "|", word);
    ++position;
  }
  refuse(name, *text, wanted);
}

void AttributeReader::require(std::string_view name) {
  if (find(name) == nullptr) fail(ErrorCode::kInvalidModel, "attribute '", name, "' is missing");
}

}  // namespace wasmvino::model
