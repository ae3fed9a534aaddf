// SPDX-License-Identifier: Apache-2.0
#include "values.h"

#include <new>
#include <stdexcept>
#include <utility>

#include "model/problems.h"

namespace wasmvino::web {

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

std::string describe(const std::vector<Error>& errors) {
  return array_of(errors, [](const Error& error) { return describe(error); });
}

namespace {

Json failure(const Error& error) {
  Json object('{');
  object.put_text("code", name(error.code())).put_text("message", error.what());
  if (error.has_layer()) {
    object.put_text("layer", error.layer()).put_text("layerType", error.layer_type());
    if (error.layer_id() >= 0) object.put("layerId", cat(error.layer_id()));
    if (error.line() > 0) object.put("line", cat(error.line()));
  }
  if (!error.port().empty()) object.put_text("port", error.port());
  if (!error.expected().empty()) object.put_text("expected", error.expected());
  if (!error.actual().empty()) object.put_text("actual", error.actual());
  return object;
}

}  // namespace

std::string describe(const Error& error) { return failure(error).done(); }

namespace {

// What the exception being handled was; to be called in a catch block only.
std::string current_failure() {
  std::string object;
  try {
    throw;
  } catch (const model::ReadError& error) {
    object = failure(error).put("problems", describe(error.problems())).done();
  } catch (const Error& error) {
    object = describe(error);
  } catch (const std::bad_alloc&) {
    object = R"({"code":"OUT_OF_MEMORY","message":"the engine is out of memory"})";
  } catch (const std::length_error&) {
    object = R"({"code":"OUT_OF_MEMORY","message":"more memory is needed than can be addressed"})";
  } catch (const std::exception&) {
    object =
        R"({"code":"INTERNAL","message":"the engine failed unexpectedly; please report this with the model"})";
  }
  return Json('{').put("failure", object).done();
}

}  // namespace

std::string run_guarded(std::string (*run)(const void*), const void* body) {
  try {
    return run(body);
  } catch (...) {
    return current_failure();
  }
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

ElementType element_type(const std::string& type) {
  const auto parsed = parse_element_type(type);
  if (!parsed) fail(ErrorCode::kInvalidType, "there is no element type '", type, "'");
  return *parsed;
}

namespace {

Tensor staged;

}  // namespace

std::string stage(double bytes) {
  return guarded([&] {
    staged = Tensor();
    staged = Tensor(ElementType::kU8, {static_cast<int64_t>(bytes)});
    return Json('{').put("address", cat(reinterpret_cast<uintptr_t>(staged.view().memory))).done();
  });
}

Tensor take_staged() { return std::exchange(staged, Tensor()); }

Texts::Texts(Tensor bytes) : staged_(std::move(bytes)) {
  if (!staged_) fail(ErrorCode::kInvalidArgument, "no texts were given");
  count_ = word(0);
  at_ = (1 + count_) * sizeof(uint32_t);
}

std::string Texts::next() {
  if (taken_ == count_) fail(ErrorCode::kInvalidArgument, "only ", count_, " texts were given");
  const size_t length = word(1 + taken_++);
  at_ += length;
  return std::string(staged_.data<char>() + at_ - length, length);
}

Shape shape_of(const std::string& sizes) {
  const auto shape = parse_partial_shape(sizes);
  if (!shape || !shape->is_static()) fail(ErrorCode::kInvalidShape, "'", sizes, "' is no shape");
  return shape->to_shape();
}

Tensor make_tensor(ElementType type, Shape shape) {
  Tensor tensor(type, std::move(shape));
  if (type == ElementType::kString) {
    Texts strings(take_staged());
    if (strings.size() != tensor.size())
      fail(ErrorCode::kInvalidShape, "there are ", strings.size(), " strings for shape ", tensor.shape());
    for (size_t i = 0, count = tensor.size(); i < count; ++i)
      tensor.mutable_data<std::string>()[i] = strings.next();
  }
  return tensor;
}

}  // namespace wasmvino::web
