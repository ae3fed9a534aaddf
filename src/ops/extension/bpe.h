// SPDX-License-Identifier: Apache-2.0
// Byte-pair encoding as in OpenVINO Tokenizers: a text is cut into the longest tokens that no merge makes.
// Then neighbours are merged, those first whose merge comes first in the list.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/call.h"
#include "ops/extension/byte_trie.h"
#include "ops/extension/token_table.h"

namespace wasmvino::ops::extension {

// What a tokenizer is made of. The texts need not outlive the construction.
struct BpeParts {
  std::vector<std::string_view> tokens;                               // by number
  std::vector<std::pair<std::string_view, std::string_view>> merges;  // by rank
  std::vector<std::pair<std::string_view, int32_t>> added;            // with their numbers
  std::string unknown;                                                // the unknown token; may be no token
  std::string end_suffix;                                             // is put after each text
  bool byte_fallback = false;                                         // bytes become tokens <0x00> to <0xFF>
};

class Bpe {
 public:
  // Throws Error(kInvalidValue) if a merge names tokens that are not in the vocabulary.
  explicit Bpe(const BpeParts& parts);

  // The memory of encode(), which it reuses.
  struct Scratch {
    struct Symbol {
      int32_t token;
      int32_t left, right;  // neighbours, or -1
      bool alive;
    };
    struct Candidate {
      uint64_t order;  // rank of the merge, then the time when the pair became neighbours
      int32_t left, right;
      int32_t token;  // what they become
    };
    std::vector<Symbol> symbols;
    std::vector<Candidate> heap;
    std::string text;
    WorkMeter meter;
  };
  // Appends the tokens of a text.
  void encode(std::string_view text, std::vector<int32_t>& tokens, Scratch& scratch) const;

 private:
  struct Merge {
    int32_t rank, token;
  };
  void cut(std::string_view text, Scratch& scratch) const;
  void merge(size_t first, size_t last, std::vector<int32_t>& tokens, Scratch& scratch) const;
  void offer(int32_t left, int32_t right, uint32_t time, Scratch& scratch) const;
  // The merges, by the length of what they make.
  struct Join {
    int32_t left, right, made;
    uint32_t length;
  };
  void find_joints(const std::vector<Join>& joins, const std::vector<char>& in_trie);

  std::unique_ptr<ByteTrie> trie_;  // of the tokens that no merge makes
  PairTable<Merge> merges_;
  std::array<int32_t, 256> bytes_;  // the tokens of byte fallback, or -1
  int32_t unknown_ = -1;
  std::string end_suffix_;
  // The pairs of tokens of the trie between which some merge joins. No merge crosses other neighbours, so
  // that each part between those is encoded by itself. Null if that is not known.
  std::unique_ptr<PairTable<bool>> joints_;
};

}  // namespace wasmvino::ops::extension
