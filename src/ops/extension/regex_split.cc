// SPDX-License-Identifier: Apache-2.0
// RegexSplit: splits strings into the matches of a regular expression and what lies between them.
// https://github.com/openvinotoolkit/openvino_tokenizers/blob/master/src/regex_split.cpp
#include <algorithm>
#include <unordered_set>

#include "model/registry.h"
#include "ops/extension/regex.h"
#include "ops/extension/strings.h"

namespace wasmvino::ops::extension::regex_split {

enum class Behaviour : uint8_t { kRemove, kIsolate, kContiguous, kMergedWithPrevious, kMergedWithNext };

struct Attributes {
  Behaviour behaviour = Behaviour::kRemove;
  bool invert = false;
  int64_t max_splits = -1;
};

class Splitting final : public Kernel {
 public:
  Splitting(std::shared_ptr<const Regex> regex, const Attributes& attributes, bool skips, bool skip_tokens)
      : matcher_(std::move(regex)),
        attributes_(attributes),
        has_skips_(skips),
        has_skip_tokens_(skip_tokens) {}

  void run(EvalContext& context) override {
    const Ranges rows = rows_of(context, 0);
    texts_.read(Strings(context, 2));
    const bool* skips = has_skips_ ? context.input(5).data<bool>() : nullptr;
    if (has_skip_tokens_) {
      const Strings tokens(context, 6);
      skip_tokens_.clear();
      for (size_t i = 0; i < tokens.size(); ++i) skip_tokens_.insert(std::string(tokens[i]));
    }
    rows_.clear();
    begins_.clear(), ends_.clear(), skips_.clear();
    for (size_t row = 0; row < rows.size(); ++row) {
      const size_t first = begins_.size();
      const auto [begin, end] = rows[row];
      for (size_t i = begin; i < end; ++i) {
        text_ = texts_[i];
        if (skips != nullptr && skips[i]) {
          add(0, text_.size(), true);
        } else if (has_skip_tokens_ && skip_tokens_.contains(std::string(text_))) {
          add(0, text_.size(), false);
        } else {
          split();
        }
      }
      rows_.add(first, begins_.size());
    }
    rows_.write(context, 0);
    write_vector(context, 2, begins_);
    write_vector(context, 3, ends_);
    write_vector(context, 4, texts_.bytes());
    if (has_skips_) write_vector(context, 5, skips_);
  }

 private:
  void add(size_t begin, size_t end, bool skip) {
    const size_t offset = texts_.offset(text_.data());
    begins_.push_back(static_cast<int32_t>(offset + begin));
    ends_.push_back(static_cast<int32_t>(offset + end));
    skips_.push_back(skip ? 1 : 0);
  }

  void split() {
    splits_ = 0;
    held_.reset();
    size_t start = 0;
    while (matcher_.find(text_, start) && matcher_.begin() < matcher_.end()) {
      if (matcher_.begin() > start) piece(start, matcher_.begin(), attributes_.invert);
      piece(matcher_.begin(), matcher_.end(), !attributes_.invert);
      start = matcher_.end();
    }
    if (start < text_.size()) {
      piece(start, text_.size(), attributes_.invert);
    } else if (attributes_.behaviour == Behaviour::kMergedWithNext && held_ != text_.size()) {
      piece(held_.value_or(0), text_.size(), attributes_.invert);
    }
  }

  // Adds a match or what lies between two. A delimiter is a match or, with `invert`, what is not. What a
  // piece is merged with stays held after it was used, so that of delimiters in a row only the last one is
  // merged, as in OpenVINO Tokenizers.
  void piece(size_t begin, size_t end, bool delimiter) {
    switch (attributes_.behaviour) {
      case Behaviour::kRemove:
        if (delimiter) return;
        break;
      case Behaviour::kMergedWithPrevious:
        if (!delimiter && end != text_.size()) {
          held_ = begin;
          return;
        }
        if (delimiter) begin = held_.value_or(0);
        break;
      case Behaviour::kMergedWithNext:
        if (delimiter) {
          held_ = begin;
          return;
        }
        begin = held_.value_or(begin);
        break;
      default:
        break;
    }
    if (splits_++ == attributes_.max_splits) end = text_.size();
    add(begin, end, false);
  }

  Matcher matcher_;
  Attributes attributes_;
  bool has_skips_, has_skip_tokens_;
  ValidStrings texts_;
  std::string_view text_;
  int64_t splits_ = 0;
  std::optional<size_t> held_;  // the begin of what the next piece is merged with
  std::unordered_set<std::string> skip_tokens_;
  RowList rows_;
  std::vector<int32_t> begins_, ends_;
  std::string skips_;
};

class RegexSplit final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on_enum("behaviour", attributes_.behaviour,
                    {"remove", "isolate", "contiguous", "mergedwithprevious", "mergedwithnext"});
    visitor.on("invert", attributes_.invert);
    visitor.on("max_splits", attributes_.max_splits);
  }
  size_t least_outputs() const override { return 5; }

  void infer(InferContext& context) const override {
    context.expect_inputs(6, 9);
    if (context.input_count() == 8) context.expect_inputs(6, 7);
    if (attributes_.max_splits != -1 && attributes_.max_splits < 1) {
      fail(ErrorCode::kInvalidModel, "attribute 'max_splits' is ", attributes_.max_splits,
           ", expected -1 or more than 0");
    }
    expect_vector(context, pattern(context.input_count()), "pattern");
    infer_string_rows(context, 0, context.input_shape(0));
    if (context.input_count() == 7) context.set_output(5, ElementType::kBoolean, {Dimension()});
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    const size_t input = pattern(context.input_count());
    const bool contiguous = attributes_.behaviour == Behaviour::kContiguous;
    auto regex =
        context.shared<Regex>(input, contiguous ? "repeated regular expression" : "regular expression", [&] {
          std::string text(constant_text(context, input, "the pattern"));
          if (contiguous && !text.ends_with('+')) text = "(" + text + ")+";
          return std::make_shared<Regex>(text);
        });
    return std::make_unique<Splitting>(std::move(regex), attributes_, context.input_count() == 7,
                                       context.input_count() == 9);
  }

 private:
  static size_t pattern(size_t inputs) { return inputs == 7 ? 6 : 5; }

  Attributes attributes_;
};

}  // namespace wasmvino::ops::extension::regex_split

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(regex_split) {
  registry.add<extension::regex_split::RegexSplit>(
      {.type = "RegexSplit",
       .versions = {1},
       .specification = "",
       .types = {{"row_begins", ElementType::kI32},
                 {"row_ends", ElementType::kI32},
                 {"begins", ElementType::kI32},
                 {"ends", ElementType::kI32},
                 {"symbols", ElementType::kU8},
                 {"skips or pattern", {ElementType::kBoolean, ElementType::kU8}},
                 {"pattern or skip_tokens_begins", {ElementType::kU8, ElementType::kI32}},
                 {"skip_tokens_ends", ElementType::kI32},
                 {"skip_tokens_symbols", ElementType::kU8}},
       .domain = "extension"});
}
}  // namespace wasmvino::ops
