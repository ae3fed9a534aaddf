// SPDX-License-Identifier: Apache-2.0
#include "core/number_text.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "core/text.h"

#ifdef __EMSCRIPTEN__
#include <emscripten/em_js.h>
#endif

namespace wasmvino {
namespace {

#ifdef __EMSCRIPTEN__

// Uses JavaScript's conversions. The C library's strtod and snprintf for numbers take 24 KB of wasm, 10 KB
// with gzip.
EM_JS(double, wasmvino_to_number, (const char* text, size_t length),
      { return Number(String.fromCharCode(... HEAPU8.slice(text >>> 0, (text >>> 0) + length))); });
EM_JS(void, wasmvino_to_text, (double value, char* text), {
  const digits = Object.is(value, -0) ? '-0' : String(value);
  for (let i = 0; i <= digits.length; ++i) HEAPU8[(text >>> 0) + i] = digits.charCodeAt(i);
});

double to_number(const std::string& text) { return wasmvino_to_number(text.data(), text.size()); }
void to_text(double value, char (&text)[32]) { wasmvino_to_text(value, text); }

#else

double to_number(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

void to_text(double value, char (&text)[32]) {
  for (int digits = 6; digits <= std::numeric_limits<double>::max_digits10; ++digits) {
    std::snprintf(text, sizeof(text), "%.*g", digits, value);
    if (to_number(text) == value) break;
  }
}

#endif

// Removes leading digits from `text` and returns how many there were.
size_t take_digits(std::string_view& text) {
  const size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
  text.remove_prefix(count);
  return count;
}

// Removes the first character of `text` if it is one of `letters`.
bool take_letter(std::string_view& text, std::string_view letters) {
  const bool found = !text.empty() && letters.find(text.front()) != std::string_view::npos;
  if (found) text.remove_prefix(1);
  return found;
}

}  // namespace

std::optional<int64_t> parse_integer(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_real(std::string_view text) {
  std::string_view left = text;
  take_letter(left, "+-");
  const double sign = text.starts_with('-') ? -1 : 1;
  if (equal_ignoring_case(left, "inf") || equal_ignoring_case(left, "infinity")) {
    return sign * std::numeric_limits<double>::infinity();
  }
  if (equal_ignoring_case(left, "nan")) return std::numeric_limits<double>::quiet_NaN();
  size_t digits = take_digits(left);
  if (take_letter(left, ".")) digits += take_digits(left);
  if (digits == 0) return std::nullopt;
  if (take_letter(left, "eE")) {
    take_letter(left, "+-");
    if (take_digits(left) == 0) return std::nullopt;
  }
  if (!left.empty()) return std::nullopt;
  return to_number(std::string(text));
}

std::string write_real(double value) {
  char text[32];
  to_text(value, text);
  return text;
}

}  // namespace wasmvino
