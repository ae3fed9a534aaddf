// SPDX-License-Identifier: Apache-2.0
#include "ops/extension/rules.h"

#include <algorithm>
#include <cstring>

#include "core/call.h"
#include "core/error.h"
#include "ops/extension/strings.h"

namespace wasmvino::ops::extension {
namespace {

constexpr std::string_view kEscapedSpace = "\xE2\x96\x81";  // U+2581

// The units of a double-array trie (Darts-clone).
uint32_t offset_of(uint32_t unit) { return (unit >> 10) << ((unit & 0x200) >> 6); }
bool has_value(uint32_t unit) { return (unit >> 8 & 1) != 0; }
uint32_t label_of(uint32_t unit) { return unit & 0x800000FF; }
uint32_t value_of(uint32_t unit) { return unit & 0x7FFFFFFF; }

}  // namespace

CharsMap::CharsMap(std::string_view blob) {
  uint32_t bytes = 0;
  if (blob.size() >= sizeof bytes) std::memcpy(&bytes, blob.data(), sizeof bytes);
  if (blob.size() < sizeof bytes || bytes > blob.size() - sizeof bytes || bytes % sizeof(uint32_t) != 0 ||
      bytes == 0) {
    fail(ErrorCode::kInvalidValue, "the map of characters has ", blob.size(), " bytes, and a trie of ", bytes,
         " bytes, expected a multiple of 4 that fits");
  }
  units_.resize(bytes / sizeof(uint32_t));
  std::memcpy(units_.data(), blob.data() + sizeof bytes, bytes);
  replacements_ = blob.substr(sizeof bytes + bytes);
}

size_t CharsMap::find(std::string_view text, std::string_view& to, std::string&) const {
  size_t length = 0;
  size_t node = offset_of(units_[0]);
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    node ^= byte;
    if (node >= units_.size() || label_of(units_[node]) != byte) break;
    const uint32_t unit = units_[node];
    node ^= offset_of(unit);
    if (!has_value(unit)) continue;
    if (node >= units_.size() || value_of(units_[node]) >= replacements_.size()) break;
    const char* first = replacements_.data() + value_of(units_[node]);
    const size_t most = replacements_.size() - value_of(units_[node]);
    const auto* end = static_cast<const char*>(std::memchr(first, 0, most));
    to = {first, end == nullptr ? most : static_cast<size_t>(end - first)};
    length = i + 1;
  }
  return length;
}

void normalize(std::string_view text, const Rules* rules, const Spaces& spaces, std::string& memory,
               std::string& to) {
  if (text.empty()) return;
  const std::string_view space = spaces.escape_whitespaces ? kEscapedSpace : std::string_view(" ");
  WorkMeter meter;
  // What becomes of the beginning of the text; removes it.
  const auto next = [&]() -> std::string_view {
    std::string_view replacement;
    size_t length = rules == nullptr ? 0 : rules->find(text, replacement, memory);
    if (length == 0) {
      code_point(text, length);
      replacement = text.substr(0, length);
    }
    text.remove_prefix(length);
    meter.add(length + 16);
    return replacement;
  };
  if (spaces.remove_extra_whitespaces) {
    for (;;) {
      const std::string_view before = text;
      if (text.empty()) return;
      if (next() == " ") continue;
      text = before;
      break;
    }
  }
  const size_t first = to.size();
  if (spaces.add_dummy_prefix && !spaces.as_suffix) to.append(space);
  bool after_space = spaces.remove_extra_whitespaces;
  while (!text.empty()) {
    std::string_view piece = next();
    while (after_space && piece.starts_with(' ')) piece.remove_prefix(1);
    if (piece.empty()) continue;
    for (const char byte : piece) {
      if (byte == ' ') {
        to.append(space);
      } else {
        to.push_back(byte);
      }
    }
    after_space = spaces.remove_extra_whitespaces && piece.ends_with(' ');
  }
  if (spaces.remove_extra_whitespaces) {
    while (to.size() - first >= space.size() && std::string_view(to).ends_with(space))
      to.resize(to.size() - space.size());
  }
  if (spaces.add_dummy_prefix && spaces.as_suffix) to.append(space);
}

}  // namespace wasmvino::ops::extension
