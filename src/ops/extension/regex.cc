// SPDX-License-Identifier: Apache-2.0
#include "ops/extension/regex.h"

#include <pcre2.h>

#include <algorithm>

#include "core/error.h"

namespace wasmvino::ops::extension {
namespace {

// The limits of one match. A step takes about 20 ns, so a pattern of exponential time ends within a second.
constexpr uint32_t kSteps = 10'000'000;
constexpr uint32_t kKibibytes = 128 * 1024;
constexpr size_t kPatternBytes = size_t{1} << 22;
constexpr size_t kCompiledBytes = size_t{1} << 24;

std::string message(int error) {
  char text[256] = "";
  pcre2_get_error_message(error, reinterpret_cast<PCRE2_UCHAR*>(text), sizeof text);
  return text;
}

std::string shortened(const std::string& pattern) {
  return pattern.size() <= 80 ? pattern : pattern.substr(0, 80) + "...";
}

}  // namespace

Regex::Regex(std::string_view pattern)
    : depends_on_start_(pattern.find("\\G") != std::string_view::npos), pattern_(pattern) {
  int error = 0;
  size_t offset = 0;
  pcre2_compile_context* context = pcre2_compile_context_create(nullptr);
  if (context != nullptr) {
    pcre2_set_max_pattern_length(context, kPatternBytes);
    pcre2_set_max_pattern_compiled_length(context, kCompiledBytes);
    code_ = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                          PCRE2_UTF | PCRE2_UCP | PCRE2_USE_OFFSET_LIMIT, &error, &offset, context);
    pcre2_compile_context_free(context);
  }
  if (context == nullptr || (code_ == nullptr && error == PCRE2_ERROR_HEAP_FAILED)) {
    fail(ErrorCode::kOutOfMemory, "no memory for a regular expression of ", pattern.size(), " bytes");
  }
  if (code_ == nullptr) {
    fail(ErrorCode::kInvalidValue, "the regular expression '", shortened(pattern_), "' is invalid at byte ",
         offset, ": ", message(error));
  }
}

Regex::~Regex() { pcre2_code_free(code_); }

size_t Regex::groups() const {
  uint32_t count = 0;
  pcre2_pattern_info(code_, PCRE2_INFO_CAPTURECOUNT, &count);
  return count;
}

size_t Regex::group(std::string_view name) const {
  const std::string terminated(name);
  const int number =
      pcre2_substring_number_from_name(code_, reinterpret_cast<PCRE2_SPTR>(terminated.c_str()));
  return number > 0 ? static_cast<size_t>(number) : 0;
}

Matcher::Matcher(std::shared_ptr<const Regex> regex) : regex_(std::move(regex)) {
  data_ = pcre2_match_data_create_from_pattern(regex_->code_, nullptr);
  context_ = pcre2_match_context_create(nullptr);
  if (data_ == nullptr || context_ == nullptr) {
    pcre2_match_data_free(data_);
    pcre2_match_context_free(context_);
    fail(ErrorCode::kOutOfMemory, "no memory for a match of a regular expression");
  }
  pcre2_set_match_limit(context_, kSteps);
  pcre2_set_depth_limit(context_, kSteps);
  pcre2_set_heap_limit(context_, kKibibytes);
  places_ = pcre2_get_ovector_pointer(data_);
}

Matcher::~Matcher() {
  pcre2_match_data_free(data_);
  pcre2_match_context_free(context_);
}

bool Matcher::match(std::string_view text, size_t start, size_t last_start, uint32_t options) {
  pcre2_set_offset_limit(context_, last_start);
  const int result = pcre2_match(regex_->code_, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), start,
                                 options | PCRE2_NO_UTF_CHECK, data_, context_);
  if (result == PCRE2_ERROR_NOMATCH) return false;
  if (result < 0) {
    fail(ErrorCode::kInvalidValue, "the regular expression '", shortened(regex_->pattern_),
         "' does not end on a text of ", text.size(), " bytes: ", message(result));
  }
  meter_.add(end() - start + 64);
  return true;
}

bool Matcher::find(std::string_view text, size_t start) {
  // Some patterns take long at each place. Therefore the call is polled after some places, about every 5 ms.
  while (!regex_->depends_on_start_ && text.size() - start > starts_) {
    const double before = now_milliseconds();
    const size_t last = start + starts_;
    if (match(text, start, last, 0)) return true;
    current_call().poll();
    const double spent = now_milliseconds() - before;
    if (spent < 2) starts_ = std::min(starts_ * 4, size_t{1} << 24);
    if (spent > 8) starts_ = std::max(starts_ / 4, size_t{64});
    for (start = last + 1; start < text.size() && (static_cast<uint8_t>(text[start]) & 0xC0) == 0x80;)
      ++start;
  }
  return match(text, start, PCRE2_UNSET, 0);
}

bool Matcher::find_at(std::string_view text, size_t start) {
  return match(text, start, PCRE2_UNSET, PCRE2_ANCHORED | PCRE2_NOTEMPTY_ATSTART);
}

}  // namespace wasmvino::ops::extension
