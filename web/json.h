// SPDX-License-Identifier: Apache-2.0
// JSON texts that other threads send to JavaScript. Embind objects (values.h) are no alternative, because
// they belong to the thread that made them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/tensor.h"

namespace wasmvino::web::json {

std::string quoted(std::string_view value);

// Builds a JSON object or array step by step.
class Json {
 public:
  explicit Json(char open) : close_(open == '{' ? '}' : ']') { text_ += open; }
  Json& add(std::string_view json);
  Json& put(std::string_view key, std::string_view json);
  Json& put_text(std::string_view key, std::string_view value);
  std::string done() const;

 private:
  std::string text_;
  char close_;
};

template <typename List, typename ToJson>
std::string array_of(const List& list, ToJson to_json) {
  Json array('[');
  for (const auto& item : list) array.add(to_json(item));
  return array.done();
}

std::string numbers(std::span<const int64_t> values);

// {type, shape, address, bytes}; for strings {type, shape, strings}.
std::string describe(const TensorView& tensor);

}  // namespace wasmvino::web::json
