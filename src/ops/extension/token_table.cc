// SPDX-License-Identifier: Apache-2.0
#include "ops/extension/token_table.h"

#include <cstring>

#include "core/call.h"

namespace wasmvino::ops::extension {

uint64_t hash_seed() {
  const double now = now_milliseconds();
  uint64_t bits = 0;
  std::memcpy(&bits, &now, sizeof now);
  return mix(bits, reinterpret_cast<uintptr_t>(&bits));
}

size_t table_size(size_t count) {
  size_t size = 16;
  while (size / 3 * 2 < count) size *= 2;
  return size;
}

TokenTable::TokenTable(size_t capacity) : slots_(table_size(capacity)) {}

uint32_t TokenTable::hash(std::string_view token) const {
  uint64_t state = seed_ ^ token.size();
  const char* bytes = token.data();
  size_t rest = token.size();
  for (; rest >= 8; bytes += 8, rest -= 8) {
    uint64_t word;
    std::memcpy(&word, bytes, sizeof word);
    state = mix(state, word);
  }
  uint64_t word = 0;
  for (size_t i = 0; i < rest; ++i) word = word << 8 | static_cast<uint8_t>(bytes[i]);
  return static_cast<uint32_t>(mix(state, word) >> 16);
}

size_t TokenTable::slot(std::string_view token, uint32_t hash) const {
  size_t i = hash & (slots_.size() - 1);
  while (slots_[i].number >= 0 && (slots_[i].hash != hash || slots_[i].token != token))
    i = (i + 1) & (slots_.size() - 1);
  return i;
}

void TokenTable::add(std::string_view token, int32_t number, bool replace) {
  const uint32_t code = hash(token);
  Slot& found = slots_[slot(token, code)];
  if (found.number < 0 || replace) found = {token, number, code, false};
}

int32_t TokenTable::find(std::string_view token) const { return slots_[slot(token, hash(token))].number; }

int32_t TokenTable::mark(std::string_view token) {
  Slot& found = slots_[slot(token, hash(token))];
  found.marked = true;
  return found.number;
}

bool TokenTable::is_marked(std::string_view token) const { return slots_[slot(token, hash(token))].marked; }

}  // namespace wasmvino::ops::extension
