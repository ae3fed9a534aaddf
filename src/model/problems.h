// SPDX-License-Identifier: Apache-2.0
// Collects all problems of a model while a front end reads it. An error about the call (is_about_the_call) is
// no problem of the model: add() gives it its place and throws it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "model/location.h"

namespace wasmvino::model {

// `text` on one line, shortened to a length that fits a message.
std::string brief(std::string_view text);

class Problems {
 public:
  // Further problems are only counted: a hostile file could cause millions.
  static constexpr size_t kMostKept = 1000;

  // RAII: while it exists, problems are reported as inside a body of this layer.
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

  // Adds a problem of the file as a whole.
  void add(ErrorCode code, std::string reason);
  // Adds an error that already names its place.
  void add(Error error) { keep(std::move(error)); }
  void add(const Location& location, ErrorCode code, std::string reason);
  // Adds an error that an operation threw. It is given this location unless it has one.
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

// All problems of a model. If there is one problem, the error itself describes it (layer, port, expected,
// actual). If there are several, the message lists them, one per line.
class ReadError : public Error {
 public:
  // `count` may exceed problems.size(), because there can be too many problems to keep.
  ReadError(std::vector<Error> problems, size_t count);
  // Each names its layer: type, name, id and line of the file.
  const std::vector<Error>& problems() const { return problems_; }

 private:
  std::vector<Error> problems_;
};

}  // namespace wasmvino::model
