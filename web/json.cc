// SPDX-License-Identifier: Apache-2.0
#include "json.h"

#include "core/text.h"

namespace wasmvino::web::json {

std::string quoted(std::string_view value) {
  std::string out = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      constexpr char kDigits[] = "0123456789abcdef";
      out += cat("\\u00", c >> 4 == 0 ? '0' : '1', kDigits[c & 15]);
    } else {
      out += c;
    }
  }
  return out + '"';
}

Json& Json::add(std::string_view json) {
  if (text_.size() > 1) text_ += ',';
  text_ += json;
  return *this;
}

Json& Json::put(std::string_view key, std::string_view json) { return add(cat('"', key, "\":", json)); }

Json& Json::put_text(std::string_view key, std::string_view value) { return put(key, quoted(value)); }

std::string Json::done() const { return text_ + close_; }

std::string numbers(std::span<const int64_t> values) {
  return array_of(values, [](int64_t value) { return cat(value); });
}

std::string describe(const TensorView& tensor) {
  Json object('{');
  object.put_text("type", name(tensor.type))
      .put("shape", numbers({tensor.shape.data(), tensor.shape.size()}));
  if (tensor.type == ElementType::kString) {
    object.put("strings", array_of(std::span(tensor.data<std::string>(), tensor.size()), quoted));
  } else {
    object.put("address", cat(reinterpret_cast<uintptr_t>(tensor.memory)))
        .put("bytes", cat(tensor.byte_size()));
  }
  return object.done();
}

}  // namespace wasmvino::web::json
