// SPDX-License-Identifier: Apache-2.0
#include "ops/extension/strings.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "core/call.h"
#include "model/node.h"
#include "ops/inputs/inputs.h"

namespace wasmvino::ops::extension {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

int32_t to_i32(size_t position) {
  if (position > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
    fail(ErrorCode::kInvalidValue, "the strings have more than 2^31 - 1 bytes or parts");
  }
  return static_cast<int32_t>(position);
}

bool is_continuation(char byte) { return (static_cast<uint8_t>(byte) & 0xC0) == 0x80; }

// Whether eight bytes are ASCII.
bool are_ascii(const char* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return (word & 0x8080808080808080) == 0;
}

void copy_ints(const EvalContext& context, size_t i, const std::vector<int32_t>& values) {
  TensorView& output = context.output(i);
  if (output.size() != values.size()) {
    fail(ErrorCode::kInternal, "output ", i, " has ", output.size(), " elements, expected ", values.size());
  }
  std::copy(values.begin(), values.end(), output.mutable_data<int32_t>());
}

}  // namespace

Ranges::Ranges(const TensorView& begins, const TensorView& ends, size_t size, const char* what)
    : begins_(begins.data<int32_t>()),
      ends_(ends.data<int32_t>()),
      count_(begins.size()),
      size_(size),
      what_(what) {
  if (ends.size() != count_) {
    throw Error(ErrorCode::kInvalidShape,
                cat("there are ", count_, " begins of a ", what, ", but ", ends.size(), " ends"))
        .expected(cat(begins.shape))
        .actual(cat(ends.shape));
  }
}

void Ranges::refuse(size_t i) const {
  throw Error(ErrorCode::kInvalidValue,
              cat(what_, ' ', i, " is ", begins_[i], "..", ends_[i], ", outside the ", size_,
                  what_ == std::string_view("row") ? " elements" : " bytes"))
      .expected(cat("0 <= begin <= end <= ", size_))
      .actual(cat(begins_[i], " and ", ends_[i]));
}

void StringList::clear() {
  begins_.clear();
  ends_.clear();
  bytes_.clear();
}

void StringList::close() {
  begins_.push_back(ends_.empty() ? 0 : ends_.back());
  ends_.push_back(to_i32(bytes_.size()));
}

void StringList::write(const EvalContext& context, size_t first) const {
  copy_ints(context, first, begins_);
  copy_ints(context, first + 1, ends_);
  write_vector(context, first + 2, bytes_);
}

void StringList::write_vectors(const EvalContext& context, size_t first) const {
  write_vector(context, first, begins_);
  write_vector(context, first + 1, ends_);
  write_vector(context, first + 2, bytes_);
}

void RowList::add(size_t begin, size_t end) {
  begins_.push_back(to_i32(begin));
  ends_.push_back(to_i32(end));
}

void RowList::write(const EvalContext& context, size_t first) const {
  copy_ints(context, first, begins_);
  copy_ints(context, first + 1, ends_);
}

void ValidStrings::read(const Strings& strings) {
  texts_.clear();
  bytes_ = strings.bytes();
  WorkMeter meter;
  bool valid = true;
  for (size_t i = 0; i < strings.size(); ++i) {
    texts_.push_back(strings[i]);
    valid = valid && is_valid(texts_.back());
    meter.add(texts_.back().size());
  }
  if (valid) return;
  copies_.clear();
  ends_.clear();
  for (const std::string_view text : texts_) {
    append_valid(text, copies_);
    ends_.push_back(copies_.size());
    meter.add(text.size());
  }
  bytes_ = copies_;
  for (size_t i = 0; i < texts_.size(); ++i) {
    const size_t begin = i == 0 ? 0 : ends_[i - 1];
    texts_[i] = bytes_.substr(begin, ends_[i] - begin);
  }
}

size_t valid_length(std::string_view text, size_t& bad) {
  bad = 1;
  const auto lead = static_cast<uint8_t>(text[0]);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  // The second byte excludes overlong forms, surrogates and what is above U+10FFFF.
  const uint8_t lowest = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const uint8_t highest = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (text.size() < 2) return 0;
  const auto second = static_cast<uint8_t>(text[1]);
  if (second < lowest || second > highest) return 0;
  for (bad = 2; bad < length; ++bad) {
    if (bad >= text.size() || !is_continuation(text[bad])) return 0;
  }
  return length;
}

bool is_valid(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    if (i + 8 <= text.size() && are_ascii(text.data() + i)) {
      i += 8;
      continue;
    }
    size_t bad = 0;
    const size_t length = valid_length(text.substr(i), bad);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

void append_valid(std::string_view text, std::string& to, bool replace) {
  for (size_t i = 0; i < text.size();) {
    size_t bad = 0;
    if (const size_t length = valid_length(text.substr(i), bad); length > 0) {
      to.append(text.substr(i, length));
      i += length;
    } else {
      if (replace) to.append(kReplacement);
      i += bad;
    }
  }
}

char32_t code_point(std::string_view text, size_t& length) {
  const auto lead = static_cast<uint8_t>(text[0]);
  length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (length == 1) return lead;
  char32_t point = lead & (0xFF >> (length + 1));
  for (size_t i = 1; i < length; ++i) point = point << 6 | (static_cast<uint8_t>(text[i]) & 0x3F);
  return point;
}

void append_code_point(char32_t point, std::string& to) {
  const auto tail = [&](int shift) { to.push_back(static_cast<char>(0x80 | (point >> shift & 0x3F))); };
  if (point < 0x80) {
    to.push_back(static_cast<char>(point));
  } else if (point < 0x800) {
    to.push_back(static_cast<char>(0xC0 | point >> 6));
    tail(0);
  } else if (point < 0x10000) {
    to.push_back(static_cast<char>(0xE0 | point >> 12));
    tail(6), tail(0);
  } else {
    to.push_back(static_cast<char>(0xF0 | point >> 18));
    tail(12), tail(6), tail(0);
  }
}

void write_vector(const EvalContext& context, size_t i, std::string_view bytes) {
  context.set_output_shape(i, {static_cast<int64_t>(bytes.size())});
  std::copy(bytes.begin(), bytes.end(), context.output(i).mutable_data<char>());
}

void write_vector(const EvalContext& context, size_t i, const std::vector<int32_t>& values) {
  context.set_output_shape(i, {static_cast<int64_t>(values.size())});
  copy_ints(context, i, values);
}

void copy_through(const EvalContext& context, size_t from, size_t to) {
  copy_elements(context.input(from), context.output(to));
}

void infer_strings(InferContext& context, size_t first, const PartialShape& shape) {
  context.set_output(first, ElementType::kI32, shape);
  context.set_output(first + 1, ElementType::kI32, shape);
  context.set_output(first + 2, ElementType::kU8, {Dimension()});
}

void infer_string_rows(InferContext& context, size_t first, const PartialShape& rows) {
  context.set_output(first, ElementType::kI32, rows);
  context.set_output(first + 1, ElementType::kI32, rows);
  infer_strings(context, first + 2, {Dimension()});
}

void infer_rows(InferContext& context, size_t first, const PartialShape& rows, ElementType type) {
  context.set_output(first, ElementType::kI32, rows);
  context.set_output(first + 1, ElementType::kI32, rows);
  context.set_output(first + 2, type, {Dimension()});
}

void expect_vector(const InferContext& context, size_t i, const char* what) {
  expect_rank(context, i, 1, 1, what);
}

std::string_view constant_text(const CompileContext& context, size_t i, const char* what) {
  const TensorView* text = context.constant(i);
  if (text == nullptr) fail(ErrorCode::kUnsupported, what, " is computed, expected a constant");
  return {text->data<char>(), text->size()};
}

Strings constant_strings(const CompileContext& context, size_t i, const char* what) {
  const TensorView *begins = context.constant(i), *ends = context.constant(i + 1),
                   *bytes = context.constant(i + 2);
  if (begins == nullptr || ends == nullptr || bytes == nullptr) {
    fail(ErrorCode::kUnsupported, what, " is computed, expected a constant");
  }
  return {*begins, *ends, *bytes};
}

std::string key_of_inputs(const CompileContext& context, size_t first, size_t last) {
  std::string key;
  for (size_t i = first; i < last && i < context.node().inputs.size(); ++i) {
    const auto& source = context.node().inputs[i];
    key += cat(reinterpret_cast<uintptr_t>(source.node), ':', source.port, ' ');
  }
  return key;
}

}  // namespace wasmvino::ops::extension
