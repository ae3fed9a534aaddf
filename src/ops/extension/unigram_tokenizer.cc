// SPDX-License-Identifier: Apache-2.0
// UnigramTokenizer: the tokens of strings whose scores have the largest sum.
// https://github.com/openvinotoolkit/openvino_tokenizers/blob/master/src/unigram_tokenizer.cpp
#include <algorithm>

#include "core/call.h"
#include "model/registry.h"
#include "ops/extension/byte_trie.h"
#include "ops/extension/strings.h"

namespace wasmvino::ops::extension::unigram_tokenizer {

// The score of an unknown character is this much below the lowest score.
constexpr float kUnknownPenalty = 10.0f;

struct Vocabulary {
  ByteTrie trie;
  std::vector<float> scores;  // by token
  float unknown_score;
};

class Segmenting final : public Kernel {
 public:
  Segmenting(std::shared_ptr<const Vocabulary> vocabulary, int32_t unknown)
      : vocabulary_(std::move(vocabulary)), unknown_(unknown) {}

  void run(EvalContext& context) override {
    const Ranges rows = rows_of(context, 0);
    texts_.read(Strings(context, 2));
    rows_.clear();
    tokens_.clear();
    for (size_t row = 0; row < rows.size(); ++row) {
      const size_t first = tokens_.size();
      const auto [begin, end] = rows[row];
      for (size_t i = begin; i < end; ++i) segment(texts_[i]);
      rows_.add(first, tokens_.size());
    }
    rows_.write(context, 0);
    write_vector(context, 2, tokens_);
  }

 private:
  // The best way to a place in the text: its last token, where that begins, and the sum of scores.
  struct Step {
    int32_t token = -1;
    int32_t begin = -1;
    float score = 0;
  };

  void reach(size_t end, size_t begin, int32_t token, float score) {
    Step& step = steps_[end];
    if (step.begin >= 0 && score <= step.score) return;
    step = {token, static_cast<int32_t>(begin), score};
  }

  void segment(std::string_view text) {
    steps_.assign(text.size() + 1, {});
    const ByteTrie& trie = vocabulary_->trie;
    for (size_t begin = 0; begin < text.size();) {
      size_t character = 0;
      code_point(text.substr(begin), character);
      const float so_far = steps_[begin].score;
      bool known = false;  // the character is a token
      int32_t node = ByteTrie::kRoot;
      for (size_t i = begin; i < text.size(); ++i) {
        node = trie.child(node, static_cast<uint8_t>(text[i]));
        if (node == ByteTrie::kNone) break;
        const int32_t token = trie.value(node);
        meter_.add(8);
        if (token == ByteTrie::kNone) continue;
        reach(i + 1, begin, token, vocabulary_->scores[static_cast<size_t>(token)] + so_far);
        known = known || i + 1 - begin == character;
      }
      if (!known) reach(begin + character, begin, unknown_, vocabulary_->unknown_score + so_far);
      begin += character;
      meter_.add(16);
    }
    // Back from the end. Neighbouring unknown tokens become one.
    const size_t first = tokens_.size();
    int32_t last = -1;
    for (size_t end = text.size(); end > 0;) {
      const Step& step = steps_[end];
      end = static_cast<size_t>(step.begin);
      if (step.token == unknown_ && last == unknown_) continue;
      tokens_.push_back(step.token);
      last = step.token;
    }
    std::reverse(tokens_.begin() + static_cast<ptrdiff_t>(first), tokens_.end());
  }

  std::shared_ptr<const Vocabulary> vocabulary_;
  int32_t unknown_;
  ValidStrings texts_;
  std::vector<Step> steps_;
  WorkMeter meter_;
  RowList rows_;
  std::vector<int32_t> tokens_;
};

class UnigramTokenizer final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("byte_fallback", byte_fallback_);
    visitor.on("unk_token_id", unk_token_id_);
    visitor.on("fuse_unk", fuse_unk_);
    visitor.on("min_score", min_score_);
  }
  size_t least_outputs() const override { return 3; }

  void infer(InferContext& context) const override {
    context.expect_inputs(9);
    infer_rows(context, 0, context.input_shape(0), ElementType::kI32);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return std::make_unique<Segmenting>(
        context.shared<Vocabulary>(5, "unigram " + key_of_inputs(context, 5, 9),
                                   [&] { return make(context); }),
        static_cast<int32_t>(unk_token_id_));
  }

 private:
  static std::shared_ptr<Vocabulary> make(const CompileContext& context) {
    const Strings tokens = constant_strings(context, 5, "the vocabulary");
    const TensorView* scores = context.constant(8);
    if (scores == nullptr) fail(ErrorCode::kUnsupported, "the scores are computed, expected a constant");
    if (scores->size() != tokens.size()) {
      fail(ErrorCode::kInvalidValue, "there are ", tokens.size(), " tokens, but ", scores->size(), " scores");
    }
    std::vector<ByteTrie::Entry> entries;
    for (size_t i = 0; i < tokens.size(); ++i) entries.push_back({tokens[i], static_cast<int32_t>(i)});
    const float* first = scores->data<float>();
    const float lowest = scores->size() == 0 ? 0.0f : *std::min_element(first, first + scores->size());
    return std::make_shared<Vocabulary>(Vocabulary{ByteTrie(std::move(entries), ByteTrie::Duplicates::kFirst),
                                                   std::vector<float>(first, first + scores->size()),
                                                   lowest - kUnknownPenalty});
  }

  // OpenVINO Tokenizers writes these three and uses none.
  bool byte_fallback_ = false;
  bool fuse_unk_ = false;
  double min_score_ = 0;
  int64_t unk_token_id_ = 0;
};

}  // namespace wasmvino::ops::extension::unigram_tokenizer

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(unigram_tokenizer) {
  registry.add<extension::unigram_tokenizer::UnigramTokenizer>({.type = "UnigramTokenizer",
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
                                                                          {"scores", ElementType::kF32}},
                                                                .domain = "extension"});
}
}  // namespace wasmvino::ops
