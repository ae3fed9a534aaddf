// SPDX-License-Identifier: Apache-2.0
// What crosses the border to JavaScript: JSON one way, texts and numbers the other; and how failures become
// JSON.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/tensor.h"

namespace wasmvino::web {

std::string quoted(std::string_view value);

// An object or an array of JSON, as it grows.
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

std::string describe(const Error& error);
std::string describe(const std::vector<Error>& errors);

// {type, shape, address, bytes}; for strings {type, shape, strings}.
std::string describe(const TensorView& tensor);

template <typename Port>
std::string describe(const std::vector<Port>& ports) {
  return array_of(ports, [](const Port& port) {
    return Json('{')
        .put("names", array_of(port.names, quoted))
        .put_text("friendlyName", port.friendly_name)
        .put_text("type", name(port.type))
        .put_text("shape", to_string(port.shape))
        .done();
  });
}

// One place of landing for all functions, 20 KB less than one in each.
std::string run_guarded(std::string (*run)(const void*), const void* body);

// What `body` gives, or its failure: {"failure": {code, message, ...}}.
template <typename Body>
std::string guarded(const Body& body) {
  return run_guarded([](const void* opaque) -> std::string { return (*static_cast<const Body*>(opaque))(); },
                     &body);
}

// A list of texts as JavaScript gives it: their lengths in bytes ("3,5") and all of them in a row.
class Texts {
 public:
  Texts(const std::string& lengths, const std::string& joined)
      : lengths_(shape_of(lengths)), joined_(joined) {}
  size_t size() const { return lengths_.size(); }
  // The texts one after another.
  std::string next() {
    const size_t length = static_cast<size_t>(lengths_[taken_++]);
    at_ += length;
    return joined_.substr(at_ - length, length);
  }

  static Shape shape_of(const std::string& sizes) {
    const auto shape = parse_partial_shape(sizes);
    if (!shape || !shape->is_static()) fail(ErrorCode::kInvalidShape, "'", sizes, "' is no shape");
    return shape->to_shape();
  }

 private:
  Shape lengths_;
  const std::string& joined_;
  size_t taken_ = 0;
  size_t at_ = 0;
};

// Throws Error(kInvalidType).
ElementType element_type(const std::string& type);

// A tensor with the given strings, if it is one of strings; else with undefined values.
Tensor make_tensor(ElementType type, Shape shape, Texts strings);

}  // namespace wasmvino::web
