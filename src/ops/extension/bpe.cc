// SPDX-License-Identifier: Apache-2.0
#include "ops/extension/bpe.h"

#include <algorithm>

#include "core/error.h"

namespace wasmvino::ops::extension {
namespace {

constexpr int32_t kNone = -1;

// Whether `a` is merged after `b`: the order of a heap whose top is merged first.
bool comes_later(const Bpe::Scratch::Candidate& a, const Bpe::Scratch::Candidate& b) {
  return a.order != b.order ? a.order > b.order : a.left > b.left;
}

std::string byte_token(size_t byte) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  return {'<', '0', 'x', digits[byte / 16], digits[byte % 16], '>'};
}

}  // namespace

Bpe::Bpe(const BpeParts& parts) : merges_(parts.merges.size()), end_suffix_(parts.end_suffix) {
  WorkMeter meter;
  TokenTable numbers(parts.tokens.size() + parts.added.size());
  for (size_t i = 0; i < parts.tokens.size(); ++i) {
    numbers.add(parts.tokens[i], static_cast<int32_t>(i), true);
    meter.add(16);
  }
  for (const auto& [token, number] : parts.added) numbers.add(token, number, false);
  unknown_ = numbers.find(parts.unknown);

  std::vector<Join> joins;
  joins.reserve(parts.merges.size());
  std::string joined;
  for (size_t rank = 0; rank < parts.merges.size(); ++rank) {
    const auto& [left, right] = parts.merges[rank];
    joined.assign(left).append(right);
    const int32_t found[] = {numbers.find(left), numbers.find(right), numbers.find(joined)};
    for (size_t i = 0; i < 3; ++i) {
      if (found[i] >= 0) continue;
      fail(ErrorCode::kInvalidValue, "merge ", rank, " needs the token '",
           i == 0   ? left
           : i == 1 ? right
                    : joined,
           "', which the vocabulary lacks");
    }
    numbers.mark(joined);
    merges_.set(found[0], found[1], {static_cast<int32_t>(rank), found[2]});
    joins.push_back({found[0], found[1], found[2], static_cast<uint32_t>(joined.size())});
    meter.add(64 + joined.size());
  }

  size_t most = parts.tokens.size();
  for (const auto& added : parts.added) most = std::max(most, static_cast<size_t>(added.second) + 1);
  std::vector<char> in_trie(most);
  std::vector<ByteTrie::Entry> entries;
  const auto enter = [&](std::string_view token) {
    if (numbers.is_marked(token)) return;
    const int32_t number = numbers.find(token);
    entries.push_back({token, number});
    in_trie[static_cast<size_t>(number)] = 1;
  };
  for (const std::string_view token : parts.tokens) enter(token);
  for (const auto& added : parts.added) enter(added.first);
  trie_ = std::make_unique<ByteTrie>(std::move(entries), ByteTrie::Duplicates::kLast);
  bytes_.fill(kNone);
  for (size_t byte = 0; parts.byte_fallback && byte < 256; ++byte) {
    const std::string token = byte_token(byte);
    if (!numbers.is_marked(token)) bytes_[byte] = numbers.find(token);
  }
  find_joints(joins, in_trie);
}

void Bpe::find_joints(const std::vector<Join>& joins, const std::vector<char>& in_trie) {
  // Shorter tokens first, because longer ones are made of them.
  uint32_t longest = 0;
  for (const Join& join : joins) longest = std::max(longest, join.length);
  std::vector<uint32_t> places(size_t{longest} + 2);  // by length: where the next merge goes
  for (const Join& join : joins) ++places[join.length + size_t{1}];
  for (size_t i = 1; i < places.size(); ++i) places[i] += places[i - 1];
  std::vector<uint32_t> order(joins.size());
  for (size_t i = 0; i < joins.size(); ++i) order[places[joins[i].length]++] = static_cast<uint32_t>(i);
  // The first and the last token of the trie in each token.
  struct Edges {
    int32_t first = kNone, last = kNone;
  };
  std::vector<Edges> edges(in_trie.size());
  for (size_t i = 0; i < edges.size(); ++i) {
    if (in_trie[i]) edges[i] = {static_cast<int32_t>(i), static_cast<int32_t>(i)};
  }
  auto joints = std::make_unique<PairTable<bool>>();
  for (const uint32_t i : order) {
    const Join& join = joins[i];
    const Edges left = edges[static_cast<size_t>(join.left)], right = edges[static_cast<size_t>(join.right)];
    if (left.last == kNone || right.first == kNone) continue;  // an operand that nothing makes
    joints->set(left.last, right.first, true);
    Edges& made = edges[static_cast<size_t>(join.made)];
    if (made.first == kNone) made = {left.first, right.last};
    if (made.first != left.first || made.last != right.last) return;
  }
  joints_ = std::move(joints);
}

void Bpe::cut(std::string_view text, Scratch& scratch) const {
  for (size_t i = 0; i < text.size();) {
    size_t length = 0;
    int32_t token = trie_->longest(text.substr(i), length);
    if (token == ByteTrie::kNone) {
      length = 1;
      token = bytes_[static_cast<uint8_t>(text[i])];
      if (token == kNone) token = unknown_;
    }
    if (token != kNone) {
      const auto place = static_cast<int32_t>(scratch.symbols.size());
      scratch.symbols.push_back({token, place - 1, place + 1, true});
    }
    i += length;
    scratch.meter.add(16 + length);
  }
}

void Bpe::offer(int32_t left, int32_t right, uint32_t time, Scratch& scratch) const {
  const auto& symbols = scratch.symbols;
  const Merge* merge =
      merges_.find(symbols[static_cast<size_t>(left)].token, symbols[static_cast<size_t>(right)].token);
  if (merge == nullptr) return;
  scratch.heap.push_back(
      {uint64_t{static_cast<uint32_t>(merge->rank)} << 32 | time, left, right, merge->token});
  std::push_heap(scratch.heap.begin(), scratch.heap.end(), comes_later);
}

// Merges symbols first .. last, `last` excluded. What a merge makes takes the place of its left symbol.
void Bpe::merge(size_t first, size_t last, std::vector<int32_t>& tokens, Scratch& scratch) const {
  auto& symbols = scratch.symbols;
  const auto at = [&](int32_t i) -> Scratch::Symbol& { return symbols[static_cast<size_t>(i)]; };
  symbols[first].left = kNone;
  symbols[last - 1].right = kNone;
  scratch.heap.clear();
  uint32_t time = 0;
  for (size_t i = first; i + 1 < last; ++i) {
    offer(static_cast<int32_t>(i), static_cast<int32_t>(i + 1), time++, scratch);
  }
  while (!scratch.heap.empty()) {
    std::pop_heap(scratch.heap.begin(), scratch.heap.end(), comes_later);
    const Scratch::Candidate best = scratch.heap.back();
    scratch.heap.pop_back();
    scratch.meter.add(32);
    // A candidate is out of date if one of its symbols has been merged.
    const Merge* merge = nullptr;
    if (at(best.left).alive && at(best.right).alive && at(best.left).right == best.right) {
      merge = merges_.find(at(best.left).token, at(best.right).token);
    }
    if (merge == nullptr || static_cast<uint32_t>(merge->rank) != best.order >> 32) continue;
    const int32_t next = at(best.right).right;
    at(best.right).alive = false;
    at(best.left).token = best.token;
    at(best.left).right = next;
    if (next != kNone) at(next).left = best.left;
    ++time;
    if (at(best.left).left != kNone) offer(at(best.left).left, best.left, time, scratch);
    if (next != kNone) offer(best.left, next, time, scratch);
  }
  for (int32_t i = static_cast<int32_t>(first); i != kNone; i = at(i).right) tokens.push_back(at(i).token);
}

void Bpe::encode(std::string_view text, std::vector<int32_t>& tokens, Scratch& scratch) const {
  if (!end_suffix_.empty()) {
    scratch.text.assign(text).append(end_suffix_);
    text = scratch.text;
  }
  auto& symbols = scratch.symbols;
  symbols.clear();
  cut(text, scratch);
  for (size_t first = 0; first < symbols.size();) {
    size_t last = first + 1;
    while (last < symbols.size() &&
           (joints_ == nullptr || joints_->find(symbols[last - 1].token, symbols[last].token) != nullptr)) {
      ++last;
    }
    if (last == first + 1) {
      tokens.push_back(symbols[first].token);
    } else {
      merge(first, last, tokens, scratch);
    }
    first = last;
  }
}

}  // namespace wasmvino::ops::extension
