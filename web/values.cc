// SPDX-License-Identifier: Apache-2.0
#include "values.h"

#include <new>
#include <stdexcept>
#include <utility>

#include "model/problems.h"

namespace wasmvino::web {

val text(const std::string& value) { return val::u8string(value.c_str()); }

Object& Object::put(const char* key, const val& value) {
  object_.set(key, value);
  return *this;
}

val numbers(std::span<const int64_t> values) {
  return val::array(std::vector<double>(values.begin(), values.end()));
}

val describe(const std::vector<Error>& errors) {
  return array_of(errors, [](const Error& error) { return describe(error); });
}

namespace {

Object failure(const Error& error) {
  Object object;
  object.put_text("code", name(error.code())).put_text("message", error.what());
  if (error.has_layer()) {
    object.put_text("layer", error.layer()).put_text("layerType", error.layer_type());
    if (error.layer_id() >= 0) object.put("layerId", static_cast<double>(error.layer_id()));
    if (error.line() > 0) object.put("line", static_cast<double>(error.line()));
  }
  if (!error.port().empty()) object.put_text("port", error.port());
  if (!error.expected().empty()) object.put_text("expected", error.expected());
  if (!error.actual().empty()) object.put_text("actual", error.actual());
  return object;
}

}  // namespace

val describe(const Error& error) { return failure(error).done(); }

namespace {

// Describes the exception that is being handled. Call it only in a catch block.
val current_failure() {
  Object object;
  const auto fill = [&](const char* code, const char* message) {
    object.put_text("code", code).put_text("message", message);
  };
  try {
    throw;
  } catch (const model::ReadError& error) {
    object = failure(error);
    object.put("problems", describe(error.problems()));
  } catch (const Error& error) {
    object = failure(error);
    if (error.code() == ErrorCode::kUnreadable) object.put("unreadable", true);
  } catch (const std::bad_alloc&) {
    fill("OUT_OF_MEMORY", "the engine is out of memory");
  } catch (const std::length_error&) {
    fill("OUT_OF_MEMORY", "more memory is needed than can be addressed");
  } catch (const std::exception&) {
    fill("INTERNAL", "the engine failed unexpectedly; please report this with the model");
  }
  return Object().put("failure", object.done()).done();
}

}  // namespace

val failure_of(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (...) {
    return current_failure();
  }
}

val run_guarded(val (*run)(const void*), const void* body) {
  try {
    return run(body);
  } catch (...) {
    return current_failure();
  }
}

val describe(const TensorView& tensor) {
  Object object;
  object.put_text("type", name(tensor.type))
      .put("shape", numbers({tensor.shape.data(), tensor.shape.size()}));
  if (tensor.type == ElementType::kString) {
    const std::span strings(tensor.data<std::string>(), tensor.size());
    // Unlike other texts, these may contain NUL.
    object.put("strings", array_of(strings, [](const std::string& each) { return val(each); }));
  } else {
    object.put("address", static_cast<double>(reinterpret_cast<uintptr_t>(tensor.memory)))
        .put("bytes", static_cast<double>(tensor.byte_size()));
  }
  return object.done();
}

namespace {

Tensor staged;

}  // namespace

val stage(double bytes) {
  return guarded([&] {
    staged = Tensor();
    staged = Tensor(ElementType::kU8, {static_cast<int64_t>(bytes)});
    return val(emscripten::typed_memory_view(staged.size(), staged.mutable_data<uint8_t>()));
  });
}

Tensor take_staged() { return std::exchange(staged, Tensor()); }

Texts::Texts(Tensor bytes) : staged_(std::move(bytes)) {
  if (!staged_) fail(ErrorCode::kInvalidArgument, "no strings were given");
  count_ = word(0);
  at_ = (1 + count_) * sizeof(uint32_t);
}

std::string Texts::next() {
  if (taken_ == count_) fail(ErrorCode::kInvalidArgument, "only ", count_, " strings were given");
  const size_t length = word(1 + taken_++);
  at_ += length;
  return std::string(staged_.data<char>() + at_ - length, length);
}

Shape shape_of(const std::string& sizes) {
  const auto shape = parse_partial_shape(sizes);
  if (!shape || !shape->is_static()) fail(ErrorCode::kInvalidShape, "'", sizes, "' is not a shape");
  return shape->to_shape();
}

Tensor make_tensor(ElementType type, Shape shape) {
  Tensor tensor(type, std::move(shape));
  if (type == ElementType::kString) {
    Texts strings(take_staged());
    if (strings.size() != tensor.size())
      fail(ErrorCode::kInvalidShape, strings.size(), " strings were given for shape ", tensor.shape());
    for (size_t i = 0, count = tensor.size(); i < count; ++i)
      tensor.mutable_data<std::string>()[i] = strings.next();
  }
  return tensor;
}

}  // namespace wasmvino::web
