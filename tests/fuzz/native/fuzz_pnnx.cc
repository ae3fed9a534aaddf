// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: a PNNX model is read, compiled and run. The mutator knows lines and words: it changes
// numbers, operands, values of parameters and types of operators, and keeps the header right.
#include <cctype>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "model_file.h"

namespace wasmvino::test {
namespace {

using Words = std::vector<std::string>;

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  void mutate(std::vector<Words>& lines) {
    Words& words = lines[below(lines.size())];
    const Words& other = lines[below(lines.size())];
    const size_t at = below(words.size());
    switch (below(12)) {
      case 0:
        words[0] = other[0];
        return;
      case 1:
        words.insert(words.begin() + static_cast<ptrdiff_t>(at), other[below(other.size())]);
        return;
      case 2:
        if (words.size() > 1) words.erase(words.begin() + static_cast<ptrdiff_t>(at));
        return;
      case 3: {
        const Words copy = other;
        lines.insert(lines.begin() + static_cast<ptrdiff_t>(below(lines.size())), copy);
        return;
      }
      case 4:
        if (lines.size() > 1) lines.erase(lines.begin() + static_cast<ptrdiff_t>(below(lines.size())));
        return;
      default:
        change(words[at], other[below(other.size())]);
    }
  }

  size_t below(size_t bound) { return random_() % bound; }

 private:
  // Replaces one number or name of a word, or what stands behind its '='.
  void change(std::string& word, const std::string& other) {
    static constexpr const char* kValues[] = {"0",
                                              "1",
                                              "2",
                                              "3",
                                              "7",
                                              "-1",
                                              "-2",
                                              "16",
                                              "65537",
                                              "1e30",
                                              "None",
                                              "True",
                                              "inf",
                                              "nan",
                                              "()",
                                              "(1,1)",
                                              "(?,2)f32",
                                              "[]",
                                              "f16",
                                              "i64",
                                              "bool",
                                              "c64",
                                              "@0",
                                              "2147483648",
                                              "4294967296",
                                              "9223372036854775807",
                                              "add",
                                              "size",
                                              "mul",
                                              "sqrt",
                                              "1.5+2j",
                                              "size(@0,1)",
                                              "[[1,2],[0,1]]"};
    const size_t equals = word.find('=');
    if (equals != std::string::npos && below(4) == 0) {
      const size_t from = other.find('=');
      word.resize(equals + 1);
      word += from != std::string::npos && below(2) == 0 ? other.substr(from + 1)
                                                         : kValues[below(std::size(kValues))];
      return;
    }
    std::vector<std::pair<size_t, size_t>> parts;
    const auto belongs = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-';
    };
    for (size_t i = equals == std::string::npos ? 0 : equals + 1; i < word.size(); ++i) {
      if (!belongs(word[i])) continue;
      size_t end = i;
      while (end < word.size() && belongs(word[end])) ++end;
      parts.emplace_back(i, end - i);
      i = end;
    }
    if (parts.empty()) return;
    const auto [from, size] = parts[below(parts.size())];
    word.replace(from, size, kValues[below(std::size(kValues))]);
  }

  std::minstd_rand random_;
};

// Returns the words of all lines after the two lines of the header.
std::vector<Words> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<Words> lines;
  std::string line;
  for (int i = 0; std::getline(stream, line); ++i) {
    std::istringstream parts(line);
    Words words;
    for (std::string word; parts >> word;) words.push_back(word);
    if (i > 1 && !words.empty()) lines.push_back(std::move(words));
  }
  return lines;
}

}  // namespace
}  // namespace wasmvino::test

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  using namespace wasmvino::test;
  ModelFile file = split(data, size);
  Mutator mutator(seed);
  std::vector<Words> lines = words_of(file.text);
  if (lines.empty() || mutator.below(16) == 0) return LLVMFuzzerMutate(data, size, most);
  if (!file.bin.empty() && mutator.below(8) == 0) mutate_bin(file);
  for (size_t count = 1 + mutator.below(3); count > 0; --count) mutator.mutate(lines);
  const std::string counts = std::to_string(lines.size());
  file.text = "7767517\n" + counts + " " + counts + "\n";
  for (const Words& words : lines) {
    for (const std::string& word : words) file.text += word + " ";
    file.text += "\n";
  }
  const size_t changed = join(std::move(file), data, most);
  return changed > 0 ? changed : LLVMFuzzerMutate(data, size, most);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace wasmvino::test;
  run_within_limits([&] { run_model(split(data, size)); });
  return 0;
}
