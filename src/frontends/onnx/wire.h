// SPDX-License-Identifier: Apache-2.0
// Reads the wire format of protocol buffers from a ByteSource, without a schema.
// https://protobuf.dev/programming-guides/encoding/
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/bytes.h"

namespace wasmvino::onnx {

// Bytes begin to end of a file, `end` excluded.
struct Range {
  size_t begin = 0;
  size_t end = 0;
  size_t size() const { return end - begin; }
};

// A part of a file that was copied to memory. Messages are read through it, so that large payloads between
// them are never copied.
class Window {
 public:
  explicit Window(const ByteSource& source) : source_(source) {}
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  size_t size() const { return source_.size(); }
  // The byte at `at`, which must be inside the file.
  uint8_t byte(size_t at) {
    if (at < begin_ || at >= begin_ + bytes_.size()) move_to(at);
    return bytes_[at - begin_];
  }
  // A copy of a range, which must be inside the file.
  void copy(Range range, void* to) const { source_.read(range.begin, range.size(), to); }
  std::string text(Range range);

 private:
  void move_to(size_t at);

  const ByteSource& source_;
  size_t begin_ = 0;
  std::vector<uint8_t> bytes_;
};

// The fields of one message, in the order of the file.
class Fields {
 public:
  Fields(Window& window, Range message) : window_(window), at_(message.begin), end_(message.end) {}

  // Moves to the next field and returns whether there is one. Throws Error(kInvalidModel), which names the
  // position in the file, if the bytes are no message.
  bool next();

  uint32_t number() const { return number_; }
  bool is_varint() const { return wire_ == kVarint; }
  bool is_bytes() const { return wire_ == kBytes; }

  // The value of the field. Throw Error(kInvalidModel) if the field has another wire type.
  uint64_t varint() const;
  int64_t integer() const { return static_cast<int64_t>(varint()); }
  float real() const;
  // A text, bytes, a message, or a packed list.
  Range bytes() const;
  std::string text() const { return window_.text(bytes()); }

  // Appends the values of a repeated field, which may be packed.
  template <typename List>
  void append_integers(List& list) const {
    if (!is_bytes()) {
      list.push_back(integer());
      return;
    }
    for (size_t at = value_.begin; at < value_.end;)
      list.push_back(static_cast<int64_t>(read_varint(at, value_.end)));
  }
  template <typename List>
  void append_reals(List& list) const {
    if (!is_bytes()) {
      list.push_back(real());
      return;
    }
    check_packed(4);
    for (size_t at = value_.begin; at < value_.end; at += 4) list.push_back(real_at(at));
  }
  // Calls visit(bits) for each value of a repeated field of varints, or of elements of 4 or 8 bytes.
  template <typename Visit>
  void visit_values(size_t width, Visit visit) const {
    if (!is_bytes()) {
      visit(width == 0 ? varint() : fixed(width));
      return;
    }
    if (width != 0) check_packed(width);
    for (size_t at = value_.begin; at < value_.end;) {
      if (width == 0) {
        visit(read_varint(at, value_.end));
      } else {
        visit(fixed_at(at, width));
        at += width;
      }
    }
  }

 private:
  enum Wire : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

  uint64_t read_varint(size_t& at, size_t end) const;
  uint64_t fixed_at(size_t at, size_t width) const;
  uint64_t fixed(size_t width) const;
  float real_at(size_t at) const;
  void check_packed(size_t width) const;
  [[noreturn]] void refuse(const char* reason) const;

  Window& window_;
  size_t at_, end_;
  size_t start_ = 0;  // of the current field
  uint32_t number_ = 0;
  Wire wire_ = kVarint;
  uint64_t varint_ = 0;
  Range value_;
};

}  // namespace wasmvino::onnx
