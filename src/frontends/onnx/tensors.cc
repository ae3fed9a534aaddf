// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/tensors.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include "core/call.h"
#include "core/checked.h"
#include "frontends/onnx/element_types.h"
#include "model/problems.h"

namespace wasmvino::onnx {
namespace {

using model::ConstantData;

constexpr uint32_t kFloatData = 4, kInt32Data = 5, kStringData = 6, kInt64Data = 7, kDoubleData = 10,
                   kUint64Data = 11;

// The typed field in which elements of a type are stored.
uint32_t field_of(ElementType type) {
  switch (type) {
    case ElementType::kF32:
      return kFloatData;
    case ElementType::kF64:
      return kDoubleData;
    case ElementType::kI64:
      return kInt64Data;
    case ElementType::kU32:
    case ElementType::kU64:
      return kUint64Data;
    case ElementType::kString:
      return kStringData;
    default:
      return kInt32Data;
  }
}

// Bytes of an element of a typed field; 0 for varints.
size_t width_in(uint32_t field) { return field == kFloatData ? 4 : field == kDoubleData ? 8 : 0; }

// The elements of a tensor in a typed field. They are decoded when they are read, so that files whose weights
// are numbers of varying length take no more memory than others.
class TypedBytes final : public ByteSource {
 public:
  TypedBytes(std::shared_ptr<const ByteSource> file, const TensorText& text, ElementType type)
      : file_(std::move(file)),
        message_(text.message),
        field_(text.typed_field),
        // Elements of less than a byte are stored packed.
        item_bytes_(std::max<size_t>(bit_width(type) / 8, 1)),
        size_(storage_bytes(type, element_count(text.shape))) {}

  size_t size() const override { return size_; }

  void read(size_t offset, size_t count, void* to) const override {
    Window window(*file_);
    size_t at = 0;
    auto* bytes = static_cast<char*>(to);
    WorkMeter meter;
    for (Fields f(window, message_); f.next();) {
      if (f.number() != field_) continue;
      f.visit_values(width_in(field_), [&](uint64_t bits) {
        // WebAssembly and all other targets are little-endian, as is the format.
        for (size_t i = 0; i < item_bytes_; ++i, ++at) {
          if (at >= offset && at - offset < count) bytes[at - offset] = static_cast<char>(bits >> (8 * i));
        }
        meter.add(item_bytes_);
      });
    }
  }
  void keep(size_t, size_t) const override { file_->keep(message_.begin, message_.size()); }

  // The number of bytes in the file's fields.
  size_t counted() const {
    Window window(*file_);
    size_t items = 0;
    for (Fields f(window, message_); f.next();) {
      if (f.number() == field_) f.visit_values(width_in(field_), [&](uint64_t) { ++items; });
    }
    return (CheckedSize(items) * item_bytes_).value();
  }

 private:
  std::shared_ptr<const ByteSource> file_;
  Range message_;
  uint32_t field_;
  size_t item_bytes_;
  size_t size_;
};

void check_size(const TensorText& text, ElementType type, uint64_t actual) {
  const size_t wanted = storage_bytes(type, element_count(text.shape));
  if (actual == wanted) return;
  throw Error(ErrorCode::kInvalidModel, cat("the tensor '", model::brief(text.name), "' has ", actual,
                                            " bytes, ", type, " ", text.shape, " takes ", wanted))
      .expected(cat(wanted, " bytes"))
      .actual(cat(actual, " bytes"));
}

uint64_t number_in(const TensorText& text, std::string_view key, uint64_t otherwise) {
  for (const auto& [name, value] : text.external) {
    if (name != key) continue;
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size()) {
      fail(ErrorCode::kInvalidModel, "the tensor '", model::brief(text.name), "' has the ", key, " '",
           model::brief(value), "' in its file, expected a number");
    }
    return number;
  }
  return otherwise;
}

}  // namespace

Tensor TensorReader::strings(const TensorText& text) const {
  Tensor made(ElementType::kString, text.shape);
  Window window(*file_);
  size_t at = 0;
  for (Fields f(window, text.message); f.next();) {
    if (f.number() != kStringData) continue;
    if (at < made.size()) made.mutable_data<std::string>()[at] = f.text();
    ++at;
  }
  if (at != made.size()) {
    fail(ErrorCode::kInvalidModel, "the tensor '", model::brief(text.name), "' has ", at,
         " strings, its shape ", text.shape, " has ", made.size());
  }
  return made;
}

std::shared_ptr<const ConstantData> TensorReader::external(const TensorText& text, ElementType type) {
  const std::string* location = text.location();
  if (location == nullptr)
    fail(ErrorCode::kInvalidModel, "the tensor '", model::brief(text.name), "' names no file for its data");
  std::shared_ptr<const ByteSource>& file = found_[*location];
  if (file == nullptr) file = companions_.find(*location);
  if (file == nullptr) {
    fail(ErrorCode::kInvalidModel, "the tensor '", model::brief(text.name), "' is in the file '",
         model::brief(*location), "', which was not given with the model");
  }
  const uint64_t offset = number_in(text, "offset", 0);
  const uint64_t rest = offset <= file->size() ? file->size() - offset : 0;
  const size_t wanted = storage_bytes(type, element_count(text.shape));
  // Without a length, the data may end before the file does.
  const uint64_t length = number_in(text, "length", std::min<uint64_t>(rest, wanted));
  if (length > rest) {
    fail(ErrorCode::kInvalidModel, "the tensor '", model::brief(text.name), "' has ", length, " bytes at ",
         offset, " of the file '", model::brief(*location), "', which has ", file->size());
  }
  check_size(text, type, length);
  return std::make_shared<ConstantData>(type, text.shape, file, static_cast<size_t>(offset), wanted);
}

std::shared_ptr<const ConstantData> TensorReader::read(const TensorText& text) {
  for (const int64_t size : text.shape) {
    if (size < 0)
      fail(ErrorCode::kInvalidModel, "the tensor '", model::brief(text.name), "' has the shape ", text.shape);
  }
  const ElementType type = element_type(text.type);
  if (text.is_external) return external(text, type);
  if (type == ElementType::kString) return std::make_shared<ConstantData>(strings(text));
  const size_t wanted = storage_bytes(type, element_count(text.shape));
  if (text.has_raw || wanted == 0) {
    check_size(text, type, text.raw.size());
    return std::make_shared<ConstantData>(type, text.shape, file_, text.raw.begin, wanted);
  }
  if (text.typed_field != field_of(type)) {
    fail(ErrorCode::kInvalidModel, "the tensor '", model::brief(text.name), "' of type ", type,
         text.typed_field == 0 ? " has no data" : " has data of another type");
  }
  const bool is_stored = width_in(text.typed_field) != 0 && text.typed_parts == 1 && text.typed.size() > 0;
  if (is_stored) {
    check_size(text, type, text.typed.size());
    return std::make_shared<ConstantData>(type, text.shape, file_, text.typed.begin, wanted);
  }
  auto bytes = std::make_shared<TypedBytes>(file_, text, type);
  check_size(text, type, bytes->counted());
  return std::make_shared<ConstantData>(type, text.shape, std::move(bytes), 0, wanted);
}

std::shared_ptr<const ConstantData> TensorReader::read(const SparseText& text) {
  const Tensor values = read(text.values)->value(), indices = read(text.indices)->value();
  for (const int64_t size : text.shape) {
    if (size < 0) fail(ErrorCode::kInvalidModel, "a sparse tensor has the shape ", text.shape);
  }
  if (indices.type() != ElementType::kI64 || values.shape().size() != 1 || is_sub_byte(values.type()) ||
      values.type() == ElementType::kString) {
    fail(ErrorCode::kInvalidModel, "a sparse tensor has values of ", values.type(), " ", values.shape(),
         " at indices of ", indices.type());
  }
  const size_t rank = text.shape.size(), count = values.size();
  const bool is_flat = indices.shape().size() == 1;
  if (indices.size() != (is_flat ? CheckedSize(count) : CheckedSize(count) * rank).value()) {
    fail(ErrorCode::kInvalidModel, "a sparse tensor has ", count, " values and indices ", indices.shape());
  }
  Tensor dense(values.type(), text.shape);
  std::fill_n(dense.mutable_data<char>(), dense.byte_size(), '\0');
  const Ints strides = row_major_strides(text.shape);
  const size_t width = bit_width(values.type()) / 8;
  for (size_t i = 0; i < count; ++i) {
    int64_t at = is_flat ? indices.data<int64_t>()[i] : 0;
    for (size_t axis = 0; !is_flat && axis < rank; ++axis) {
      const int64_t index = indices.data<int64_t>()[i * rank + axis];
      if (index < 0 || index >= text.shape[axis])
        fail(ErrorCode::kInvalidModel, "a sparse tensor ", text.shape, " has a value at index ", index);
      at += index * strides[axis];
    }
    if (at < 0 || static_cast<uint64_t>(at) >= dense.size())
      fail(ErrorCode::kInvalidModel, "a sparse tensor ", text.shape, " has a value at ", at);
    std::memcpy(dense.mutable_data<char>() + static_cast<size_t>(at) * width, values.data<char>() + i * width,
                width);
  }
  return std::make_shared<ConstantData>(std::move(dense));
}

}  // namespace wasmvino::onnx
