// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/wire.h"

#include <algorithm>
#include <bit>

#include "core/error.h"

namespace wasmvino::onnx {
namespace {

constexpr size_t kWindowBytes = 64 * 1024;

}  // namespace

void Window::move_to(size_t at) {
  begin_ = at;
  bytes_.resize(std::min(kWindowBytes, source_.size() - at));
  source_.read(begin_, bytes_.size(), bytes_.data());
}

std::string Window::text(Range range) {
  std::string text(range.size(), '\0');
  if (range.begin >= begin_ && range.end <= begin_ + bytes_.size()) {
    std::copy_n(bytes_.begin() + static_cast<ptrdiff_t>(range.begin - begin_), text.size(), text.begin());
  } else if (range.size() < kWindowBytes && range.size() > 0) {
    move_to(range.begin);
    std::copy_n(bytes_.begin(), text.size(), text.begin());
  } else {
    copy(range, text.data());
  }
  return text;
}

void Fields::refuse(const char* reason) const {
  fail(ErrorCode::kInvalidModel, "the ONNX file is damaged at byte ", start_, ": ", reason);
}

bool Fields::next() {
  if (at_ >= end_) return false;
  start_ = at_;
  const uint64_t tag = read_varint(at_, end_);
  const uint64_t number = tag >> 3;
  if (number == 0 || number > 0x1fffffff) refuse("this is no number of a field");
  number_ = static_cast<uint32_t>(number);
  wire_ = static_cast<Wire>(tag & 7);
  size_t width = 0;
  switch (wire_) {
    case kVarint:
      varint_ = read_varint(at_, end_);
      return true;
    case kFixed64:
      width = 8;
      break;
    case kFixed32:
      width = 4;
      break;
    case kBytes: {
      const uint64_t size = read_varint(at_, end_);
      if (size > end_ - at_) refuse("a field is longer than the message around it");
      width = static_cast<size_t>(size);
      break;
    }
    default:
      refuse("this is no type of a field");
  }
  if (width > end_ - at_) refuse("a field is longer than the message around it");
  value_ = {at_, at_ + width};
  at_ += width;
  return true;
}

uint64_t Fields::read_varint(size_t& at, size_t end) const {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    if (at >= end) refuse("a number is longer than the message around it");
    const uint8_t byte = window_.byte(at++);
    value |= shift < 64 ? static_cast<uint64_t>(byte & 0x7f) << shift : 0;
    if (byte < 0x80) return value;
  }
  refuse("a number has more than ten bytes");
}

uint64_t Fields::fixed_at(size_t at, size_t width) const {
  uint64_t value = 0;
  for (size_t i = 0; i < width; ++i) value |= static_cast<uint64_t>(window_.byte(at + i)) << (8 * i);
  return value;
}

uint64_t Fields::fixed(size_t width) const {
  if (wire_ != (width == 4 ? kFixed32 : kFixed64)) refuse("a field has the wrong type");
  return fixed_at(value_.begin, width);
}

float Fields::real_at(size_t at) const {
  return std::bit_cast<float>(static_cast<uint32_t>(fixed_at(at, 4)));
}

uint64_t Fields::varint() const {
  if (wire_ != kVarint) refuse("a field has the wrong type");
  return varint_;
}

float Fields::real() const { return std::bit_cast<float>(static_cast<uint32_t>(fixed(4))); }

Range Fields::bytes() const {
  if (wire_ != kBytes) refuse("a field has the wrong type");
  return value_;
}

void Fields::check_packed(size_t width) const {
  if (value_.size() % width != 0) refuse("a list ends inside an element");
}

}  // namespace wasmvino::onnx
