// SPDX-License-Identifier: Apache-2.0
// The rules that SentencePiece's builder makes of normalisation forms, without listing them all. NFKC alone
// has 250,000: each character of a sequence that composes may be any character that decomposes into it. Here
// a rule is looked up by what its characters decompose into.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "ops/extension/rules.h"
#include "ops/extension/strings.h"
#include "ops/extension/token_table.h"
#include "ops/extension/unicode_data.h"

namespace wasmvino::ops::extension {
namespace {

using Points = std::u32string;

// Hangul syllables are computed (the Unicode standard, section 3.12).
constexpr char32_t kSyllable = 0xAC00, kLead = 0x1100, kVowel = 0x1161, kTail = 0x11A7;
constexpr char32_t kLeads = 19, kVowels = 21, kTails = 28, kSyllables = kLeads * kVowels * kTails;
bool is_syllable(char32_t point) { return point >= kSyllable && point < kSyllable + kSyllables; }
bool is_lead(char32_t point) { return point >= kLead && point < kLead + kLeads; }
bool is_vowel(char32_t point) { return point >= kVowel && point < kVowel + kVowels; }
bool is_tail(char32_t point) { return point > kTail && point < kTail + kTails; }

// Reads the numbers of unicode_data.h.
class Numbers {
 public:
  explicit Numbers(std::span<const uint8_t> bytes) : bytes_(bytes) {}
  bool at_end() const { return at_ == bytes_.size(); }
  uint32_t next() {
    uint32_t value = 0;
    for (int shift = 0;; shift += 7) {
      const uint8_t byte = bytes_[at_++];
      value |= uint32_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return value;
    }
  }
  int32_t next_signed() {
    const uint32_t value = next();
    return static_cast<int32_t>(value >> 1) ^ -static_cast<int32_t>(value & 1);
  }

 private:
  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
};

// Normalisation as Unicode defines it, for single characters and their decompositions.
class Unicode {
 public:
  explicit Unicode(bool compatibility) {
    Numbers data(decomposition_data());
    char32_t point = 0, last = 0;
    while (!data.at_end()) {
      point += data.next();
      const uint32_t kind = data.next();
      Points mapping;
      for (uint32_t i = 0; i < kind / 4; ++i) {
        last = static_cast<char32_t>(static_cast<int32_t>(last) + data.next_signed());
        mapping.push_back(last);
      }
      if ((kind & 2) != 0) composites_[{mapping[0], mapping[1]}] = point;
      if ((kind & 1) == 0 || compatibility) decompositions_.emplace(point, std::move(mapping));
    }
    Numbers classes(combining_class_data());
    point = 0;
    while (!classes.at_end()) {
      point += classes.next();
      const uint32_t count = classes.next(), combining = classes.next();
      for (uint32_t i = 0; i < count; ++i) classes_[point++] = combining;
    }
  }

  // All characters that decompose, Hangul syllables aside.
  const std::unordered_map<char32_t, Points>& decompositions() const { return decompositions_; }

  Points decompose(char32_t point) const {
    Points points;
    append(point, points);
    for (size_t i = 1; i < points.size(); ++i) {  // marks by their classes, keeping the order of equal ones
      for (size_t j = i; j > 0 && class_of(points[j]) != 0 && class_of(points[j]) < class_of(points[j - 1]);
           --j) {
        std::swap(points[j], points[j - 1]);
      }
    }
    return points;
  }

  // Composes a decomposition.
  Points compose(const Points& points) const {
    Points result;
    size_t starter = SIZE_MAX;
    uint32_t last_class = 0;
    for (const char32_t point : points) {
      const uint32_t own = class_of(point);
      const bool blocked =
          starter == SIZE_MAX || (result.size() - 1 > starter && (last_class >= own || last_class == 0));
      if (!blocked) {
        if (const char32_t composed = composite(result[starter], point); composed != 0) {
          result[starter] = composed;
          continue;
        }
      }
      if (own == 0) starter = result.size();
      last_class = own;
      result.push_back(point);
    }
    return result;
  }

 private:
  uint32_t class_of(char32_t point) const {
    const auto found = classes_.find(point);
    return found == classes_.end() ? 0 : found->second;
  }

  void append(char32_t point, Points& to) const {
    if (is_syllable(point)) {
      const char32_t i = point - kSyllable;
      to += {static_cast<char32_t>(kLead + i / (kVowels * kTails)),
             static_cast<char32_t>(kVowel + i / kTails % kVowels)};
      if (i % kTails != 0) to += static_cast<char32_t>(kTail + i % kTails);
      return;
    }
    const auto found = decompositions_.find(point);
    if (found == decompositions_.end()) {
      to += point;
    } else {  // decompositions do not contain themselves: the depth is at most 4
      for (const char32_t part : found->second) append(part, to);
    }
  }

  char32_t composite(char32_t first, char32_t second) const {
    if (is_lead(first) && is_vowel(second)) {
      return kSyllable + ((first - kLead) * kVowels + (second - kVowel)) * kTails;
    }
    if (is_syllable(first) && (first - kSyllable) % kTails == 0 && is_tail(second))
      return first + (second - kTail);
    const auto found = composites_.find({first, second});
    return found == composites_.end() ? 0 : found->second;
  }

  std::unordered_map<char32_t, Points> decompositions_;
  std::unordered_map<char32_t, uint32_t> classes_;
  std::map<std::pair<char32_t, char32_t>, char32_t> composites_;
};

std::string utf8(const Points& points) {
  std::string text;
  for (const char32_t point : points) append_code_point(point, text);
  return text;
}

class FormRules final : public Rules {
 public:
  FormRules(Form form, bool fold) : composes_(form == Form::kNfc || form == Form::kNfkc) {
    if (fold) {
      Numbers data(fold_data());
      char32_t point = 0;
      while (!data.at_end()) {
        point += data.next();
        folds_[point] = static_cast<char32_t>(static_cast<int32_t>(point) + data.next_signed());
      }
    }
    if (form != Form::kIdentity) {
      decomposes_ = true;
      add_form(Unicode(form == Form::kNfkc || form == Form::kNfkd));
    }
    for (const auto& [point, folded] : folds_) singles_.emplace(point, utf8({folded}));
  }

  size_t find(std::string_view text, std::string_view& to, std::string& memory) const override {
    size_t length = 0;
    const char32_t point = code_point(text, length);
    if (composes_) {
      if (const size_t longer = find_sequence(text, point, length, to, memory); longer > 0) return longer;
    }
    if (const auto found = singles_.find(point); found != singles_.end()) {
      to = found->second;
      return length;
    }
    if (decomposes_ && !composes_ && is_syllable(point)) {
      const char32_t i = point - kSyllable;
      Points points = {static_cast<char32_t>(kLead + i / (kVowels * kTails)),
                       static_cast<char32_t>(kVowel + i / kTails % kVowels)};
      if (i % kTails != 0) points += static_cast<char32_t>(kTail + i % kTails);
      to = memory = utf8(points);
      return length;
    }
    return 0;
  }

 private:
  void add_form(const Unicode& unicode) {
    std::map<Points, Points> sequences;
    for (const auto& entry : unicode.decompositions()) {
      const char32_t point = entry.first;
      const Points decomposed = unicode.decompose(point);
      const Points normalized = composes_ ? unicode.compose(decomposed) : decomposed;
      if (normalized != Points{point}) singles_.emplace(point, utf8(folded(normalized)));
      if (decomposed.size() == 1) {
        keys_[point] = decomposed[0];
      } else {
        keys_[point] = 0;  // is in no sequence
        if (composes_) sequences[decomposed] = unicode.compose(decomposed);
      }
    }
    if (!composes_) return;
    std::erase_if(sequences, [](const auto& entry) { return entry.first == entry.second; });
    // Shorter rules make some of the longer ones superfluous, and SentencePiece drops those.
    std::vector<const std::pair<const Points, Points>*> by_length;
    for (const auto& entry : sequences) by_length.push_back(&entry);
    std::sort(by_length.begin(), by_length.end(),
              [](const auto* a, const auto* b) { return a->first.size() < b->first.size(); });
    std::string memory;
    for (size_t i = 0; i < by_length.size();) {
      size_t last = i;
      std::vector<const std::pair<const Points, Points>*> kept;
      for (; last < by_length.size() && by_length[last]->first.size() == by_length[i]->first.size(); ++last) {
        std::string by_rules;
        normalize(utf8(by_length[last]->first), this, {}, memory, by_rules);
        if (by_rules != utf8(folded(by_length[last]->second))) kept.push_back(by_length[last]);
      }
      for (const auto* entry : kept) add_sequence(entry->first, utf8(folded(entry->second)));
      i = last;
    }
  }

  Points folded(Points points) const {
    for (char32_t& point : points) {
      if (const auto found = folds_.find(point); found != folds_.end()) point = found->second;
    }
    return points;
  }

  void add_sequence(const Points& points, std::string to) {
    int32_t node = 0;
    for (const char32_t point : points) {
      const int32_t* next = edges_.find(node, static_cast<int32_t>(point));
      const int32_t child = next != nullptr ? *next : static_cast<int32_t>(results_.size());
      if (next == nullptr) {
        edges_.set(node, static_cast<int32_t>(point), child);
        results_.emplace_back();
      }
      node = child;
    }
    results_[static_cast<size_t>(node)] = std::move(to);
  }

  // What a character stands for in a sequence, or 0.
  char32_t key(char32_t point) const {
    if (point < 0x80) return point;
    if (is_syllable(point)) return 0;
    const auto found = keys_.find(point);
    return found == keys_.end() ? point : found->second;
  }

  size_t find_sequence(std::string_view text, char32_t point, size_t length, std::string_view& to,
                       std::string& memory) const {
    size_t found = 0;
    int32_t node = 0;
    Points jamo;
    for (size_t end = length;;) {
      const char32_t own = key(point);
      if (own == 0) break;
      const int32_t* next = edges_.find(node, static_cast<int32_t>(own));
      const bool continues_jamo =
          jamo.size() == 0 ? is_lead(own) && end == length
                           : (jamo.size() == 1 && is_vowel(own)) || (jamo.size() == 2 && is_tail(own));
      if (next == nullptr && !continues_jamo) break;
      if (continues_jamo) {
        jamo += own;
        if (jamo.size() > 1) {
          const char32_t syllable = kSyllable + ((jamo[0] - kLead) * kVowels + (jamo[1] - kVowel)) * kTails +
                                    (jamo.size() == 3 ? jamo[2] - kTail : 0);
          memory.clear();
          append_code_point(syllable, memory);
          to = memory;
          found = end;
        }
      } else {
        node = *next;
        if (!results_[static_cast<size_t>(node)].empty()) {
          to = results_[static_cast<size_t>(node)];
          found = end;
        }
      }
      if (end == text.size()) break;
      size_t size = 0;
      point = code_point(text.substr(end), size);
      end += size;
    }
    return found;
  }

  bool decomposes_ = false, composes_;
  std::unordered_map<char32_t, char32_t> folds_;
  std::unordered_map<char32_t, std::string> singles_;  // rules for one character
  std::unordered_map<char32_t, char32_t> keys_;
  PairTable<int32_t> edges_;                 // a trie of the sequences: from a node and a key to a node
  std::vector<std::string> results_ = {{}};  // by node
};

}  // namespace

std::unique_ptr<Rules> rules_of(Form form, bool fold) { return std::make_unique<FormRules>(form, fold); }

}  // namespace wasmvino::ops::extension
