// SPDX-License-Identifier: Apache-2.0
// Regular expressions with the syntax and the character classes of PCRE2, which OpenVINO Tokenizers uses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/call.h"

// PCRE2's own types, whose header is included by regex.cc only.
struct pcre2_real_code_8;
struct pcre2_real_match_data_8;
struct pcre2_real_match_context_8;

namespace wasmvino::ops::extension {

// A compiled pattern. Threads may share it.
class Regex {
 public:
  // Throws Error(kInvalidValue), which holds the pattern and says what is wrong with it.
  explicit Regex(std::string_view pattern);
  ~Regex();
  Regex(const Regex&) = delete;
  Regex& operator=(const Regex&) = delete;

  // The number of groups.
  size_t groups() const;
  // The number of a group with this name, or 0.
  size_t group(std::string_view name) const;

 private:
  friend class Matcher;
  pcre2_real_code_8* code_ = nullptr;
  bool depends_on_start_ = false;  // \G
  std::string pattern_;
};

// Finds matches, one after the other.
class Matcher {
 public:
  explicit Matcher(std::shared_ptr<const Regex> regex);
  ~Matcher();
  Matcher(const Matcher&) = delete;
  Matcher& operator=(const Matcher&) = delete;

  const Regex& regex() const { return *regex_; }
  // Finds the first match that begins at `start` or later. The text must be valid UTF-8. Polls the current
  // call. Throws Error(kInvalidValue) if a match takes too many steps or too much memory.
  bool find(std::string_view text, size_t start);
  // Finds a match that begins at `start` and is not empty.
  bool find_at(std::string_view text, size_t start);

  // Of the last match: where a group, or the whole (0), begins and ends.
  size_t begin(size_t group = 0) const { return places_[2 * group]; }
  size_t end(size_t group = 0) const { return places_[2 * group + 1]; }
  bool has(size_t group) const { return begin(group) != SIZE_MAX; }

 private:
  bool match(std::string_view text, size_t start, size_t last_start, uint32_t options);

  std::shared_ptr<const Regex> regex_;
  pcre2_real_match_data_8* data_ = nullptr;
  pcre2_real_match_context_8* context_ = nullptr;
  const size_t* places_ = nullptr;
  size_t starts_ = size_t{1} << 14;  // places that are tried between two polls
  WorkMeter meter_;
};

}  // namespace wasmvino::ops::extension
