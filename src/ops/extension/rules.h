// SPDX-License-Identifier: Apache-2.0
// Rules of replacement, and the normaliser of SentencePiece, which applies them from left to right. At each
// place the longest rule counts.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace wasmvino::ops::extension {

class Rules {
 public:
  virtual ~Rules() = default;
  // Finds the longest rule for the beginning of a text, which is valid UTF-8. Returns how many bytes it
  // replaces, and 0 if there is none. `to` refers to the rules' or to `memory`.
  virtual size_t find(std::string_view text, std::string_view& to, std::string& memory) const = 0;
};

// SentencePiece's precompiled_charsmap: the size of a double-array trie, the trie, the replacements.
class CharsMap final : public Rules {
 public:
  // Throws Error(kInvalidValue) if the sizes do not fit.
  explicit CharsMap(std::string_view blob);
  size_t find(std::string_view text, std::string_view& to, std::string& memory) const override;

 private:
  std::vector<uint32_t> units_;
  std::string replacements_;
};

enum class Form : uint8_t { kIdentity, kNfc, kNfd, kNfkc, kNfkd };

// The rules that SentencePiece makes of a normalisation form, with simple case folding on request. They are
// not Unicode normalisation: combining marks keep their order, for example.
std::unique_ptr<Rules> rules_of(Form form, bool fold);

// How SentencePiece treats spaces.
struct Spaces {
  bool add_dummy_prefix = false;
  bool remove_extra_whitespaces = false;
  bool escape_whitespaces = false;
  bool as_suffix = false;  // the dummy is put at the end
};

// Appends the normalised text. `text` is valid UTF-8; `rules` may be null.
void normalize(std::string_view text, const Rules* rules, const Spaces& spaces, std::string& memory,
               std::string& to);

}  // namespace wasmvino::ops::extension
