// SPDX-License-Identifier: Apache-2.0
#include "model/problems.h"

#include <algorithm>

namespace wasmvino::model {
namespace {

Error summary(const std::vector<Error>& problems, size_t count) {
  if (problems.size() == 1) return problems[0];
  bool all_unsupported = true;
  std::string text = cat("the model has ", count, " problems:");
  for (const Error& problem : problems) {
    all_unsupported &= problem.code() == ErrorCode::kUnsupported;
    text += cat("\n  ", problem.what());
  }
  if (count > problems.size()) text += cat("\n  and ", count - problems.size(), " more");
  return Error(all_unsupported ? ErrorCode::kUnsupported : ErrorCode::kInvalidModel, std::move(text));
}

}  // namespace

std::string brief(std::string_view text) {
  constexpr size_t kLongest = 120;
  size_t end = std::min(text.size(), kLongest);
  if (end < text.size()) {
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
      --end;  // do not split UTF-8 characters
  }
  std::string line = cat(text.substr(0, end), end < text.size() ? "…" : "");
  for (char& c : line) c = static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  return line;
}

ReadError::ReadError(std::vector<Error> problems, size_t count)
    : Error(summary(problems, count)), problems_(std::move(problems)) {}

void Problems::add(ErrorCode code, std::string reason) { keep(Error(code, std::move(reason))); }

void Problems::add(const Location& location, ErrorCode code, std::string reason) {
  add(location, Error(code, std::move(reason)));
}

void Problems::add(const Location& location, Error error) {
  if (location.type.empty()) {
    keep(location.line == 0 ? std::move(error)
                            : Error(error.code(), cat("line ", location.line, ": ", error.reason())));
    return;
  }
  error.at_layer(brief(location.layer), brief(location.type), location.id, location.version, location.line);
  keep(std::move(error));
}

void Problems::keep(Error error) {
  const bool is_problem = !is_about_the_call(error);
  if (is_problem && errors_.size() >= kMostKept) {
    ++left_out_;
    return;
  }
  for (auto outer = within_.rbegin(); outer != within_.rend(); ++outer) error.within(*outer);
  if (!is_problem) throw error;
  errors_.push_back(std::move(error));
}

}  // namespace wasmvino::model
