// SPDX-License-Identifier: Apache-2.0
// All that is wrong with a model, collected while a front end reads it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "model/location.h"

namespace wasmvino::model {

// `text` cut to a length that fits a message, on one line.
std::string brief(std::string_view text);

class Problems {
 public:
  // More are only counted: a hostile file could name millions.
  static constexpr size_t kMostKept = 1000;

  // While it lives, problems are said to be within a body of this layer.
  class Inside {
   public:
    Inside(Problems& problems, std::string where) : problems_(problems) {
      problems_.within_.push_back(std::move(where));
    }
    ~Inside() { problems_.within_.pop_back(); }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    Problems& problems_;
  };

  // About the file as a whole.
  void add(ErrorCode code, std::string reason);
  // One that says itself where it happened.
  void add(Error error) { keep(std::move(error)); }
  void add(const Location& location, ErrorCode code, std::string reason);
  // An error that an operation threw; it is located unless it already is.
  void add(const Location& location, Error error);

  bool empty() const { return errors_.empty(); }
  size_t count() const { return errors_.size() + left_out_; }
  const std::vector<Error>& errors() const { return errors_; }
  size_t left_out() const { return left_out_; }

 private:
  void keep(Error error);

  std::vector<Error> errors_;
  size_t left_out_ = 0;
  std::vector<std::string> within_;
};

// All that is wrong with a model. Where it is one thing, the error itself is about it (layer, port, expected,
// actual); where there are several, the message lists them, one per line.
class ReadError : public Error {
 public:
  // `count` may be larger than the number of problems: the others are too many to keep.
  ReadError(std::vector<Error> problems, size_t count);
  // Each names its layer: type, name, id and line of the file.
  const std::vector<Error>& problems() const { return problems_; }

 private:
  std::vector<Error> problems_;
};

}  // namespace wasmvino::model
