// SPDX-License-Identifier: Apache-2.0
// TrieTokenizer: cuts strings into the longest tokens of a vocabulary, from left to right.
// https://github.com/openvinotoolkit/openvino_tokenizers/blob/master/src/trie_tokenizer.cpp
#include "core/call.h"
#include "model/registry.h"
#include "ops/extension/byte_trie.h"
#include "ops/extension/strings.h"

namespace wasmvino::ops::extension::trie_tokenizer {

class Cutting final : public Kernel {
 public:
  explicit Cutting(std::shared_ptr<const ByteTrie> trie) : trie_(std::move(trie)) {}

  void run(EvalContext& context) override {
    const Ranges rows = rows_of(context, 0);
    const Strings texts(context, 2);
    rows_.clear();
    tokens_.clear();
    WorkMeter meter;
    for (size_t row = 0; row < rows.size(); ++row) {
      const size_t first = tokens_.size();
      const auto [begin, end] = rows[row];
      for (size_t i = begin; i < end; ++i) {
        for (std::string_view text = texts[i]; !text.empty();) {
          size_t length = 0;
          const int32_t token = trie_->longest(text, length);
          if (token == ByteTrie::kNone) {
            fail(ErrorCode::kInvalidValue, "string ", i, " has no token of the vocabulary at byte ",
                 texts[i].size() - text.size());
          }
          tokens_.push_back(token);
          text.remove_prefix(length);
          meter.add(length + 8);
        }
      }
      rows_.add(first, tokens_.size());
    }
    rows_.write(context, 0);
    write_vector(context, 2, tokens_);
  }

 private:
  std::shared_ptr<const ByteTrie> trie_;
  RowList rows_;
  std::vector<int32_t> tokens_;
};

class TrieTokenizer final : public Op {
 public:
  size_t least_outputs() const override { return 3; }

  void infer(InferContext& context) const override {
    context.expect_inputs(9);
    infer_rows(context, 0, context.input_shape(0), ElementType::kI32);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return std::make_unique<Cutting>(
        context.shared<ByteTrie>(5, "trie " + key_of_inputs(context, 5, 9), [&] { return make(context); }));
  }

 private:
  static std::shared_ptr<ByteTrie> make(const CompileContext& context) {
    const Strings tokens = constant_strings(context, 5, "the vocabulary");
    const TensorView* numbers = context.constant(8);
    if (numbers == nullptr)
      fail(ErrorCode::kUnsupported, "the numbers of tokens are computed, expected a constant");
    if (numbers->size() != tokens.size()) {
      fail(ErrorCode::kInvalidValue, "there are ", tokens.size(), " tokens, but ", numbers->size(),
           " numbers");
    }
    std::vector<ByteTrie::Entry> entries;
    for (size_t i = 0; i < tokens.size(); ++i) {
      const int32_t number = numbers->data<int32_t>()[i];
      if (number < 0)
        fail(ErrorCode::kInvalidValue, "token ", i, " has number ", number, ", expected 0 or more");
      entries.push_back({tokens[i], number});
    }
    return std::make_shared<ByteTrie>(std::move(entries), ByteTrie::Duplicates::kLast);
  }
};

}  // namespace wasmvino::ops::extension::trie_tokenizer

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(trie_tokenizer) {
  registry.add<extension::trie_tokenizer::TrieTokenizer>({.type = "TrieTokenizer",
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
                                                                    {"indices", ElementType::kI32}},
                                                          .domain = "extension"});
}
}  // namespace wasmvino::ops
