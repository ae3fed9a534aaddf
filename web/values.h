// SPDX-License-Identifier: Apache-2.0
// What crosses the border to JavaScript: objects one way, texts and numbers the other; and how failures
// become objects.
#pragma once

#include <emscripten/val.h>

#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/error.h"
#include "core/tensor.h"

namespace wasmvino::web {

using emscripten::val;

// Texts of models and errors, which hold no NUL.
val text(const std::string& value);
inline val text(std::string_view value) { return text(std::string(value)); }

// An object of JavaScript, as it grows. Emscripten's value_object has no fields that may be absent, and takes
// a structure of C++ for each.
class Object {
 public:
  Object() : object_(val::object()) {}
  Object& put(const char* key, const val& value);
  Object& put(const char* key, double value) { return put(key, val(value)); }
  Object& put_text(const char* key, std::string_view value) { return put(key, text(value)); }
  val done() const { return object_; }

 private:
  val object_;
};

template <typename List, typename ToValue>
val array_of(const List& list, ToValue to_value) {
  val array = val::array();
  size_t i = 0;
  for (const auto& item : list) array.set(i++, to_value(item));
  return array;
}

val numbers(std::span<const int64_t> values);

// {code, message, …}
val describe(const Error& error);
val describe(const std::vector<Error>& errors);

// {type, shape, address, bytes}; for strings {type, shape, strings}. An address instead of a view: memory
// that grows detaches views.
val describe(const TensorView& tensor);

template <typename Port>
val describe(const std::vector<Port>& ports) {
  return array_of(ports, [](const Port& port) {
    return Object()
        .put("names", array_of(port.names, [](const std::string& each) { return text(each); }))
        .put_text("friendlyName", port.friendly_name)
        .put_text("type", name(port.type))
        .put_text("shape", to_string(port.shape))
        .done();
  });
}

// {"failure": {code, message, …}}
val failure_of(const std::exception_ptr& exception);

// One place of landing for all functions, 20 KB less than one in each.
val run_guarded(val (*run)(const void*), const void* body);

// What `body` gives, or its failure.
template <typename Body>
val guarded(const Body& body) {
  return run_guarded(
      [](const void* opaque) -> val {
        const Body& own = *static_cast<const Body*>(opaque);
        if constexpr (std::is_void_v<decltype(own())>) {
          own();
          return val::undefined();
        } else {
          return own();
        }
      },
      &body);
}

// A view of room for bytes that the next call takes, to be filled at once. Embind itself does not check
// whether there is memory for a text, and a model's may be large.
val stage(double bytes);
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
