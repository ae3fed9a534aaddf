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

// Makes room for bytes that the next call takes: {address}. Embind itself does not check whether there is
// memory for a text, and a model's may be large.
std::string stage(double bytes);
// What JavaScript has put there since.
Tensor take_staged();

// A list of texts as JavaScript stages it: how many (u32), their lengths in bytes (u32 each), all of them in
// a row.
class Texts {
 public:
  explicit Texts(Tensor staged);
  size_t size() const { return count_; }
  // The texts one after another. Throws Error(kInvalidArgument) behind the last one.
  std::string next();

 private:
  uint32_t word(size_t i) const { return staged_.data<uint32_t>()[i]; }

  Tensor staged_;
  size_t count_ = 0, taken_ = 0;
  size_t at_ = 0;  // of the next text, in bytes
};

// "1,3,224,224". Throws Error(kInvalidShape).
Shape shape_of(const std::string& sizes);

// Throws Error(kInvalidType).
ElementType element_type(const std::string& type);

// A tensor with the staged strings, if it is one of strings; else with undefined values.
Tensor make_tensor(ElementType type, Shape shape);

}  // namespace wasmvino::web
