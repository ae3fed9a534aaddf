// SPDX-License-Identifier: Apache-2.0
#include "model/constant.h"

#include <cstring>
#include <string>
#include <vector>

#include "core/error.h"

namespace wasmvino::model {
namespace {

// Bytes of the largest value that is kept: shapes, axes and scales are requested repeatedly.
constexpr size_t kLargestKept = 4096;

// A string constant consists of an i32 count, count + 1 i32 offsets, and all bytes.
Tensor decode_strings(const std::vector<char>& blob, const Shape& shape) {
  const auto number = [&](size_t i) {
    int32_t value = -1;
    if (i < blob.size() / 4) std::memcpy(&value, blob.data() + i * 4, 4);
    return value;
  };
  const size_t count = element_count(shape);
  const uint64_t first_byte = (uint64_t{count} + 2) * 4;
  if (number(0) < 0 || static_cast<size_t>(number(0)) != count || first_byte > blob.size()) {
    fail(ErrorCode::kInvalidModel, "string data has ", number(0), " strings, but the shape ", shape,
         " needs ", count);
  }
  Tensor strings(ElementType::kString, shape);
  for (size_t i = 0; i < count; ++i) {
    const int32_t begin = number(1 + i);
    const int32_t end = number(2 + i);
    if (begin < 0 || end < begin || static_cast<size_t>(end) > blob.size() - first_byte) {
      fail(ErrorCode::kInvalidModel, "string ", i, " has bytes ", begin, "..", end, ", outside the ",
           blob.size() - first_byte, " bytes of text");
    }
    strings.mutable_data<std::string>()[i].assign(blob.data() + first_byte + begin,
                                                  blob.data() + first_byte + end);
  }
  return strings;
}

}  // namespace

Tensor ConstantData::value() const {
  if (kept_) return kept_;
  if (std::shared_ptr<const void> owner = held_.lock())
    return Tensor(type_, shape_, held_memory_, std::move(owner));
  Tensor value;
  if (type_ == ElementType::kString) {
    std::vector<char> blob(bytes_);
    source_->read(offset_, bytes_, blob.data());
    value = decode_strings(blob, shape_);
  } else {
    value = Tensor(type_, shape_);
    if (value.byte_size() > 0) source_->read(offset_, value.byte_size(), value.mutable_data<char>());
  }
  if (bytes_ <= kLargestKept) {
    kept_ = value;
  } else {
    held_ = value.owner();
    held_memory_ = value.view().memory;
  }
  return value;
}

void ConstantData::keep_source() const {
  if (source_ != nullptr && bytes_ > kLargestKept) source_->keep(offset_, bytes_);
}

}  // namespace wasmvino::model
