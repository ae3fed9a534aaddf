// SPDX-License-Identifier: Apache-2.0
// WordpieceTokenizer: cuts words into the longest tokens of a vocabulary, one for the begin and others for
// the rest. https://github.com/openvinotoolkit/openvino_tokenizers/blob/master/src/wordpiece_tokenizer.cpp
#include "core/call.h"
#include "model/registry.h"
#include "ops/extension/byte_trie.h"
#include "ops/extension/strings.h"
#include "ops/inputs/indices.h"
#include "ops/inputs/inputs.h"

namespace wasmvino::ops::extension::wordpiece_tokenizer {

// The tokens that begin a word, and those that go on, without the prefix that says so.
struct Vocabulary {
  ByteTrie begins, rest;
};

class Cutting final : public Kernel {
 public:
  Cutting(std::shared_ptr<const Vocabulary> vocabulary, int64_t most_bytes)
      : vocabulary_(std::move(vocabulary)), most_bytes_(most_bytes) {}

  void run(EvalContext& context) override {
    const Ranges rows = rows_of(context, 0);
    const Strings words(context, 2);
    const auto unknown = static_cast<int32_t>(load_integer(context.input(8), 0));
    rows_.clear();
    tokens_.clear();
    WorkMeter meter;
    for (size_t row = 0; row < rows.size(); ++row) {
      const size_t first = tokens_.size();
      const auto [begin, end] = rows[row];
      for (size_t i = begin; i < end; ++i) {
        const std::string_view word = words[i];
        const size_t before = tokens_.size();
        if (static_cast<int64_t>(word.size()) > most_bytes_ || !cut(word, meter)) {
          tokens_.resize(before);
          tokens_.push_back(unknown);
        }
        meter.add(word.size() + 8);
      }
      rows_.add(first, tokens_.size());
    }
    rows_.write(context, 0);
    write_vector(context, 2, tokens_);
  }

 private:
  bool cut(std::string_view word, WorkMeter& meter) {
    const ByteTrie* trie = &vocabulary_->begins;
    do {
      size_t length = 0;
      const int32_t token = trie->longest(word, length);
      if (token == ByteTrie::kNone) return false;
      tokens_.push_back(token);
      word.remove_prefix(length);
      meter.add(length);
      trie = &vocabulary_->rest;
    } while (!word.empty());
    return true;
  }

  std::shared_ptr<const Vocabulary> vocabulary_;
  int64_t most_bytes_;
  RowList rows_;
  std::vector<int32_t> tokens_;
};

class WordpieceTokenizer final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("suffix_indicator", suffix_indicator_);
    visitor.on("max_bytes_per_word", max_bytes_per_word_);
  }
  size_t least_outputs() const override { return 3; }

  void infer(InferContext& context) const override {
    context.expect_inputs(9);
    expect_single(context, 8, "the unknown token");
    infer_rows(context, 0, context.input_shape(0), ElementType::kI32);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    const std::string key = cat("wordpiece ", suffix_indicator_, '\n', key_of_inputs(context, 5, 8));
    return std::make_unique<Cutting>(context.shared<Vocabulary>(5, key, [&] { return make(context); }),
                                     max_bytes_per_word_);
  }

 private:
  std::shared_ptr<Vocabulary> make(const CompileContext& context) const {
    const Strings tokens = constant_strings(context, 5, "the vocabulary");
    std::vector<ByteTrie::Entry> begins, rest;
    for (size_t i = 0; i < tokens.size(); ++i) {
      const std::string_view token = tokens[i];
      if (token.starts_with(suffix_indicator_)) {
        rest.push_back({token.substr(suffix_indicator_.size()), static_cast<int32_t>(i)});
      } else {
        begins.push_back({token, static_cast<int32_t>(i)});
      }
    }
    return std::make_shared<Vocabulary>(Vocabulary{ByteTrie(std::move(begins), ByteTrie::Duplicates::kLast),
                                                   ByteTrie(std::move(rest), ByteTrie::Duplicates::kLast)});
  }

  std::string suffix_indicator_ = "##";
  int64_t max_bytes_per_word_ = 100;
};

}  // namespace wasmvino::ops::extension::wordpiece_tokenizer

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(wordpiece_tokenizer) {
  registry.add<extension::wordpiece_tokenizer::WordpieceTokenizer>(
      {.type = "WordpieceTokenizer",
       .versions = {1},
       .specification = "",
       .types = {{"row_begins", ElementType::kI32},
                 {"row_ends", ElementType::kI32},
                 {"begins", ElementType::kI32},
                 {"ends", ElementType::kI32},
                 {"symbols", ElementType::kU8},
                 {"vocab_begins", ElementType::kI32},
                 {"vocab_ends", ElementType::kI32},
                 {"vocab_symbols", ElementType::kU8},
                 {"unk_token_id", kIndices}},
       .domain = "extension"});
}
}  // namespace wasmvino::ops
