// SPDX-License-Identifier: Apache-2.0
// The strings of OpenVINO Tokenizers. A list of strings is three tensors: the begin and the end of each
// string (i32) in the bytes of all (u8). Rows of strings have two tensors more: the begin and the end of each
// row (i32) in that list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/op.h"

namespace wasmvino::ops::extension {

struct Range {
  size_t begin = 0;
  size_t end = 0;
  size_t size() const { return end - begin; }
};

// Ranges of a list, from a tensor of begins and one of ends. Each range is checked when it is read.
class Ranges {
 public:
  // `what` names a range ("row") and `size` is the length of the list, for errors.
  Ranges(const TensorView& begins, const TensorView& ends, size_t size, const char* what);
  size_t size() const { return count_; }
  // Throws Error(kInvalidValue) if the range is not in the list.
  Range operator[](size_t i) const {
    const int64_t begin = begins_[i], end = ends_[i];
    if (begin < 0 || begin > end || end > static_cast<int64_t>(size_)) refuse(i);
    return {static_cast<size_t>(begin), static_cast<size_t>(end)};
  }

 private:
  [[noreturn]] void refuse(size_t i) const;

  const int32_t* begins_;
  const int32_t* ends_;
  size_t count_, size_;
  const char* what_;
};

// A list of strings in the tensors of an operation's inputs.
class Strings {
 public:
  // From inputs first, first + 1 and first + 2.
  Strings(const EvalContext& context, size_t first)
      : Strings(context.input(first), context.input(first + 1), context.input(first + 2)) {}
  Strings(const TensorView& begins, const TensorView& ends, const TensorView& bytes)
      : ranges_(begins, ends, bytes.size(), "string"),
        bytes_(bytes.data<char>()),
        byte_count_(bytes.size()) {}
  size_t size() const { return ranges_.size(); }
  std::string_view operator[](size_t i) const {
    const Range range = ranges_[i];
    return {bytes_ + range.begin, range.size()};
  }
  std::string_view bytes() const { return {bytes_, byte_count_}; }

 private:
  Ranges ranges_;
  const char* bytes_;
  size_t byte_count_;
};

// Rows of the list in inputs first + 2 and so on; inputs first and first + 1 hold their begins and ends.
inline Ranges rows_of(const EvalContext& context, size_t first) {
  return {context.input(first), context.input(first + 1), context.input(first + 2).size(), "row"};
}

// A list of strings that grows, and its copy in the tensors of outputs. It keeps its memory when cleared.
class StringList {
 public:
  void clear();
  size_t size() const { return begins_.size(); }
  void add(std::string_view text) {
    bytes_.append(text);
    close();
  }
  // For a string that is written piece by piece: appends to bytes(), then calls close().
  std::string& bytes() { return bytes_; }
  void close();
  // Writes outputs first, first + 1 (which have the shape of the strings) and first + 2.
  void write(const EvalContext& context, size_t first) const;
  // The same for strings whose number is data-dependent.
  void write_vectors(const EvalContext& context, size_t first) const;

 private:
  std::vector<int32_t> begins_, ends_;
  std::string bytes_;
};

// Rows of anything that grow, and their copy in outputs.
class RowList {
 public:
  void clear() { begins_.clear(), ends_.clear(); }
  void add(size_t begin, size_t end);
  // Writes outputs first and first + 1, which have the shape of the rows.
  void write(const EvalContext& context, size_t first) const;

 private:
  std::vector<int32_t> begins_, ends_;
};

// A list of strings, with U+FFFD for each maximal sequence of bytes that is not UTF-8.
class ValidStrings {
 public:
  // Refers to the strings, and copies them only if one is not valid.
  void read(const Strings& strings);
  size_t size() const { return texts_.size(); }
  std::string_view operator[](size_t i) const { return texts_[i]; }
  // The memory of all strings, and the place of one of their bytes in it.
  std::string_view bytes() const { return bytes_; }
  size_t offset(const char* byte) const { return static_cast<size_t>(byte - bytes_.data()); }

 private:
  std::vector<std::string_view> texts_;
  std::string_view bytes_;
  std::string copies_;
  std::vector<size_t> ends_;
};

// The length of the valid sequence of UTF-8 at the beginning of a text, or 0. `bad` then gets the length of
// the maximal sequence that U+FFFD replaces (the Unicode standard, table 3-8).
size_t valid_length(std::string_view text, size_t& bad);
// Whether all of the text is valid UTF-8.
bool is_valid(std::string_view text);
// Appends the text, with U+FFFD for each maximal sequence of bytes that is not UTF-8, or without those.
void append_valid(std::string_view text, std::string& to, bool replace = true);
// The code point at the beginning of a valid text, and its length.
char32_t code_point(std::string_view text, size_t& length);
void append_code_point(char32_t point, std::string& to);

// Copies values to output i, a vector whose length is data-dependent.
void write_vector(const EvalContext& context, size_t i, std::string_view bytes);
void write_vector(const EvalContext& context, size_t i, const std::vector<int32_t>& values);
// Copies input `from` to output `to`, which has its shape.
void copy_through(const EvalContext& context, size_t from, size_t to);

// Types and shapes of outputs: a list of strings, rows of strings, rows of anything.
void infer_strings(InferContext& context, size_t first, const PartialShape& shape);
void infer_string_rows(InferContext& context, size_t first, const PartialShape& rows);
void infer_rows(InferContext& context, size_t first, const PartialShape& rows, ElementType type);
// Says that input i is a vector: the bytes of strings, a pattern, elements of rows.
void expect_vector(const InferContext& context, size_t i, const char* what);

// The bytes of input i, a text that never changes. Throws Error(kUnsupported) if it is not constant.
std::string_view constant_text(const CompileContext& context, size_t i, const char* what);

// The strings of inputs i, i + 1 and i + 2, which never change. Throws Error(kUnsupported) if they are not
// constant.
Strings constant_strings(const CompileContext& context, size_t i, const char* what);

// A key for CompileContext::shared() that names the sources of inputs first..last, `last` excluded.
std::string key_of_inputs(const CompileContext& context, size_t first, size_t last);

}  // namespace wasmvino::ops::extension
