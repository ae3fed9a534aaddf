// SPDX-License-Identifier: Apache-2.0
#include "ops/extension/byte_trie.h"

#include <algorithm>
#include <utility>

#include "core/call.h"

namespace wasmvino::ops::extension {
namespace {

// The entries from `begin` to `end` share their first `depth` bytes.
struct Group {
  size_t begin, end, depth;
};

}  // namespace

ByteTrie::ByteTrie(std::vector<Entry> entries, Duplicates duplicates) {
  std::erase_if(entries, [](const Entry& entry) { return entry.text.empty(); });
  // Nodes are made level by level. The entries of each are distributed by their next byte, keeping their
  // order.
  std::vector<Group> groups = {{0, entries.size(), 0}};
  std::vector<Entry> moved(entries.size());
  nodes_.emplace_back();
  labels_.push_back(0);
  root_.fill(kNone);
  WorkMeter meter;
  for (size_t node = 0; node < groups.size(); ++node) {
    auto [begin, end, depth] = groups[node];
    meter.add(end - begin + 16);
    if (end - begin == 1) {  // most groups: no need for a table
      const Entry& entry = entries[begin];
      if (entry.text.size() == depth) {
        nodes_[node].value = entry.value;
        continue;
      }
      const auto byte = static_cast<uint8_t>(entry.text[depth]);
      if (node == 0) root_[byte] = 1;
      nodes_[node].first_child = static_cast<uint32_t>(nodes_.size());
      nodes_[node].children = 1;
      groups.push_back({begin, end, depth + 1});
      nodes_.emplace_back();
      labels_.push_back(byte);
      continue;
    }
    std::array<uint32_t, 257> places =
        {};  // by byte + 1, after the entries that end here: where its entries go
    for (size_t i = begin; i < end; ++i) {
      const std::string_view text = entries[i].text;
      if (text.size() > depth) ++places[static_cast<uint8_t>(text[depth]) + size_t{1}];
    }
    size_t distinct = 0;
    size_t ending = 0;
    for (size_t i = begin; i < end; ++i) {
      if (entries[i].text.size() != depth) continue;
      ++ending;
      if (duplicates == Duplicates::kLast || nodes_[node].value == kNone)
        nodes_[node].value = entries[i].value;
    }
    nodes_[node].first_child = static_cast<uint32_t>(nodes_.size());
    uint32_t place = static_cast<uint32_t>(begin + ending);
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t count = places[byte + 1];
      places[byte + 1] = place;
      if (count == 0) continue;
      if (node == 0) root_[byte] = static_cast<int32_t>(nodes_.size());
      groups.push_back({place, place + count, depth + 1});
      nodes_.emplace_back();
      labels_.push_back(static_cast<uint8_t>(byte));
      place += count;
      ++distinct;
    }
    nodes_[node].children = static_cast<uint32_t>(distinct);
    if (distinct == 0 || (distinct == 1 && ending == 0)) continue;  // the entries are in their places
    for (size_t i = begin; i < end; ++i) {
      const std::string_view text = entries[i].text;
      if (text.size() > depth) moved[places[static_cast<uint8_t>(text[depth]) + size_t{1}]++] = entries[i];
    }
    std::copy(moved.begin() + static_cast<ptrdiff_t>(begin + ending),
              moved.begin() + static_cast<ptrdiff_t>(end),
              entries.begin() + static_cast<ptrdiff_t>(begin + ending));
  }
}

int32_t ByteTrie::longest(std::string_view text, size_t& length) const {
  int32_t found = kNone;
  length = 0;
  int32_t node = kRoot;
  for (size_t i = 0; i < text.size(); ++i) {
    node = child(node, static_cast<uint8_t>(text[i]));
    if (node == kNone) break;
    if (value(node) != kNone) {
      found = value(node);
      length = i + 1;
    }
  }
  return found;
}

}  // namespace wasmvino::ops::extension
