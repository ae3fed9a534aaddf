// SPDX-License-Identifier: Apache-2.0
// Converts values at the boundary to JavaScript. Results become objects, arguments are texts and numbers, and
// failures become objects.
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

// Texts of models and errors, which contain no NUL.
val text(const std::string& value);
inline val text(std::string_view value) { return text(std::string(value)); }

// Builds a JavaScript object step by step. Emscripten's value_object has no optional fields and needs a C++
// structure for each kind of object.
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

// {type, shape, address, bytes}; for strings {type, shape, strings}. It has an address instead of a view,
// because views are detached when the memory grows.
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

// One catch block for all functions, which takes 20 KB less than one in each.
val run_guarded(val (*run)(const void*), const void* body);

// Returns the result of `body`, or its failure.
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

// Returns a view of memory for bytes that the next call takes. Fill it immediately. Embind does not check
// whether there is memory for a text, and the text of a model may be large.
val stage(double bytes);
// Returns the bytes that JavaScript has staged.
Tensor take_staged();

// A list of texts as JavaScript stages it: the count (u32), the lengths in bytes (u32 each), and all texts
// concatenated.
class Texts {
 public:
  explicit Texts(Tensor staged);
  size_t size() const { return count_; }
  // Returns the next text. Throws Error(kInvalidArgument) after the last one.
  std::string next();

 private:
  uint32_t word(size_t i) const { return staged_.data<uint32_t>()[i]; }

  Tensor staged_;
  size_t count_ = 0, taken_ = 0;
  size_t at_ = 0;  // offset of the next text, in bytes
};

// Parses "1,3,224,224". Throws Error(kInvalidShape).
Shape shape_of(const std::string& sizes);

// A tensor of strings gets the staged strings. The values of other tensors are undefined.
Tensor make_tensor(ElementType type, Shape shape);

}  // namespace wasmvino::web
