// SPDX-License-Identifier: Apache-2.0
// A trie of byte strings, for the longest entry of a vocabulary that a text begins with.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace wasmvino::ops::extension {

class ByteTrie {
 public:
  struct Entry {
    std::string_view text;
    int32_t value;
  };
  static constexpr int32_t kNone = -1;

  // Of equal texts, the last one counts, or the first one.
  enum class Duplicates : uint8_t { kLast, kFirst };
  // Values must not be negative. Empty texts are left out. The texts need not outlive the constructor.
  ByteTrie(std::vector<Entry> entries, Duplicates duplicates);

  // The longest entry with which the text begins: its value, and its length. kNone if there is none.
  int32_t longest(std::string_view text, size_t& length) const;

  // Walks the trie by single bytes: begins at kRoot, and ends with kNone.
  static constexpr int32_t kRoot = 0;
  int32_t child(int32_t node, uint8_t byte) const {
    if (node == kRoot) return root_[byte];
    const Node& parent = nodes_[static_cast<size_t>(node)];
    for (uint32_t i = parent.first_child, end = i + parent.children; i < end; ++i) {
      if (labels_[i] == byte) return static_cast<int32_t>(i);
    }
    return kNone;
  }
  // The value of the entry that ends at a node, or kNone.
  int32_t value(int32_t node) const { return nodes_[static_cast<size_t>(node)].value; }

 private:
  struct Node {
    uint32_t first_child = 0;  // the children of a node are neighbours, by their bytes
    uint32_t children = 0;
    int32_t value = kNone;
  };

  std::vector<Node> nodes_;
  std::vector<uint8_t> labels_;  // by node
  std::array<int32_t, 256> root_;
};

}  // namespace wasmvino::ops::extension
