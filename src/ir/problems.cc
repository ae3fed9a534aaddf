// SPDX-License-Identifier: Apache-2.0
#include "ir/problems.h"

#include <algorithm>

namespace wasmvino::ir {

std::string brief(std::string_view text) {
  constexpr size_t kLongest = 120;
  size_t end = std::min(text.size(), kLongest);
  if (end < text.size()) {
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
      --end;  // whole UTF-8 characters
  }
  std::string line = cat(text.substr(0, end), end < text.size() ? "…" : "");
  for (char& c : line) c = static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  return line;
}

void Problems::add(ErrorCode code, std::string reason) { keep(Error(code, std::move(reason))); }

void Problems::add(const Place& place, ErrorCode code, std::string reason) {
  add(place, Error(code, std::move(reason)));
}

void Problems::add(const Place& place, Error error) {
  if (place.type.empty()) {
    keep(place.line == 0 ? std::move(error)
                         : Error(error.code(), cat("line ", place.line, ": ", error.reason())));
    return;
  }
  error.at_layer(brief(place.layer), brief(place.type), place.id, place.version, place.line);
  keep(std::move(error));
}

void Problems::keep(Error error) {
  if (errors_.size() >= kMostKept) {
    ++left_out_;
    return;
  }
  for (auto outer = within_.rbegin(); outer != within_.rend(); ++outer) error.within(*outer);
  errors_.push_back(std::move(error));
}

}  // namespace wasmvino::ir
