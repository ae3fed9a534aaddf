// SPDX-License-Identifier: Apache-2.0
// Hash tables for vocabularies: from a token's bytes to its number, and from a pair of numbers to anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace wasmvino::ops::extension {

// A number that differs from process to process, so that no vocabulary can be made to collide.
uint64_t hash_seed();

inline uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t x = (a ^ b) * 0x9E3779B97F4A7C15;
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93;
  return x ^ x >> 29;
}

// The smallest power of two with room for `count` entries.
size_t table_size(size_t count);

class TokenTable {
 public:
  explicit TokenTable(size_t capacity);
  // Adds a token, whose bytes must outlive the table. If it is there already, the new number replaces the old
  // one or is dropped.
  void add(std::string_view token, int32_t number, bool replace);
  // The number of a token, or -1.
  int32_t find(std::string_view token) const;
  // The same, and marks the token.
  int32_t mark(std::string_view token);
  bool is_marked(std::string_view token) const;

 private:
  struct Slot {
    std::string_view token;
    int32_t number = -1;
    uint32_t hash = 0;
    bool marked = false;
  };
  // The slot of a token, or the free one where it belongs.
  size_t slot(std::string_view token, uint32_t hash) const;
  uint32_t hash(std::string_view token) const;

  uint64_t seed_ = hash_seed();
  std::vector<Slot> slots_;
};

// From pairs of token numbers to values.
template <typename Value>
class PairTable {
 public:
  explicit PairTable(size_t capacity = 0) : slots_(table_size(capacity)) {}
  void set(int32_t left, int32_t right, Value value) {
    Slot& place = slots_[slot(left, right)];
    const bool added = place.left < 0;
    place = {left, right, value};
    if (added && ++count_ > slots_.size() / 3 * 2) grow();
  }
  const Value* find(int32_t left, int32_t right) const {
    const Slot& found = slots_[slot(left, right)];
    return found.left < 0 ? nullptr : &found.value;
  }

 private:
  struct Slot {
    int32_t left = -1, right = -1;
    Value value = {};
  };
  size_t slot(int32_t left, int32_t right) const {
    const uint64_t key = uint64_t{static_cast<uint32_t>(left)} << 32 | static_cast<uint32_t>(right);
    size_t i = static_cast<size_t>(mix(key, seed_)) & (slots_.size() - 1);
    while (slots_[i].left >= 0 && (slots_[i].left != left || slots_[i].right != right)) {
      i = (i + 1) & (slots_.size() - 1);
    }
    return i;
  }
  void grow() {
    const std::vector<Slot> before = std::move(slots_);
    slots_ = std::vector<Slot>(table_size(before.size()));
    for (const Slot& old : before) {
      if (old.left >= 0) slots_[slot(old.left, old.right)] = old;
    }
  }

  uint64_t seed_ = hash_seed();
  std::vector<Slot> slots_;
  size_t count_ = 0;
};

}  // namespace wasmvino::ops::extension
