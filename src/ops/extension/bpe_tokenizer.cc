// SPDX-License-Identifier: Apache-2.0
// BPETokenizer: the tokens of strings by byte-pair encoding.
// https://github.com/openvinotoolkit/openvino_tokenizers/blob/master/src/bpe_tokenizer.cpp
#include "model/registry.h"
#include "ops/extension/bpe.h"
#include "ops/extension/strings.h"

namespace wasmvino::ops::extension::bpe_tokenizer {

struct Attributes {
  std::string unk_token, suffix_indicator, end_suffix;
  bool fuse_unk = false;
  bool byte_fallback = false;
  int64_t cache_capacity = 20000;
};

class Encoding final : public Kernel {
 public:
  explicit Encoding(std::shared_ptr<const Bpe> bpe) : bpe_(std::move(bpe)) {}

  void run(EvalContext& context) override {
    const Ranges rows = rows_of(context, 0);
    const Strings texts(context, 2);
    rows_.clear();
    tokens_.clear();
    for (size_t row = 0; row < rows.size(); ++row) {
      const size_t first = tokens_.size();
      const auto [begin, end] = rows[row];
      for (size_t i = begin; i < end; ++i) bpe_->encode(texts[i], tokens_, scratch_);
      rows_.add(first, tokens_.size());
    }
    rows_.write(context, 0);
    write_vector(context, 2, tokens_);
  }

 private:
  std::shared_ptr<const Bpe> bpe_;
  Bpe::Scratch scratch_;
  RowList rows_;
  std::vector<int32_t> tokens_;
};

class BPETokenizer final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("unk_token", attributes_.unk_token);
    visitor.on("fuse_unk", attributes_.fuse_unk);
    visitor.on("suffix_indicator", attributes_.suffix_indicator);
    visitor.on("end_suffix", attributes_.end_suffix);
    visitor.on("byte_fallback", attributes_.byte_fallback);
    visitor.on("cache_capacity", attributes_.cache_capacity);
  }
  size_t least_outputs() const override { return 3; }

  void infer(InferContext& context) const override {
    const size_t count = context.input_count();
    if (count != 11 && count != 14 && count != 15 && count != 18) {
      fail(ErrorCode::kInvalidModel, "BPETokenizer has ", count, " inputs, expected 11, 14, 15 or 18");
    }
    infer_rows(context, 0, context.input_shape(0), ElementType::kI32);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    const std::string key =
        cat("BPE ", attributes_.unk_token, '\n', attributes_.end_suffix, '\n', attributes_.byte_fallback,
            '\n', key_of_inputs(context, 5, context.input_count()));
    return std::make_unique<Encoding>(context.shared<Bpe>(5, key, [&] { return make(context); }));
  }

 private:
  std::shared_ptr<Bpe> make(const CompileContext& context) const {
    const size_t count = context.input_count();
    const bool has_pairs = count == 14 || count == 18;
    const bool has_added = count == 15 || count == 18;
    BpeParts parts;
    parts.unknown = attributes_.unk_token;
    parts.end_suffix = attributes_.end_suffix;
    parts.byte_fallback = attributes_.byte_fallback;

    const Strings tokens = constant_strings(context, 5, "the vocabulary");
    parts.tokens.reserve(tokens.size());
    for (size_t i = 0; i < tokens.size(); ++i) parts.tokens.push_back(tokens[i]);

    const Strings merges = constant_strings(context, 8, "the list of merges");
    parts.merges.reserve(merges.size());
    if (has_pairs) {
      const Strings right = constant_strings(context, 11, "the list of merges");
      if (right.size() != merges.size()) {
        fail(ErrorCode::kInvalidValue, merges.size(), " left parts of merges, but ", right.size(),
             " right parts");
      }
      for (size_t i = 0; i < merges.size(); ++i) parts.merges.emplace_back(merges[i], right[i]);
    } else {
      for (size_t i = 0; i < merges.size(); ++i) {
        const std::string_view merge = merges[i];
        const size_t space = merge.find(' ');
        if (space == std::string_view::npos) {
          fail(ErrorCode::kInvalidValue, "merge ", i, " is '", merge,
               "', expected two tokens with a space between");
        }
        parts.merges.emplace_back(merge.substr(0, space), merge.substr(space + 1));
      }
    }
    if (has_added) {
      const Strings added = constant_strings(context, count - 4, "the list of added tokens");
      const TensorView* numbers = context.constant(count - 1);
      if (numbers == nullptr)
        fail(ErrorCode::kUnsupported, "the numbers of added tokens are computed, expected a constant");
      if (numbers->size() != added.size()) {
        fail(ErrorCode::kInvalidValue, added.size(), " added tokens, but ", numbers->size(),
             " numbers for them");
      }
      for (size_t i = 0; i < added.size(); ++i) {
        const int32_t number = numbers->data<int32_t>()[i];
        if (number < 0 || number > kLargestToken) {
          fail(ErrorCode::kInvalidValue, "added token ", i, " has number ", number, ", expected 0 to ",
               kLargestToken);
        }
        parts.added.emplace_back(added[i], number);
      }
    }
    return std::make_shared<Bpe>(parts);
  }

  static constexpr int32_t kLargestToken = 1 << 24;

  Attributes attributes_;
};

}  // namespace wasmvino::ops::extension::bpe_tokenizer

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(bpe_tokenizer) {
  registry.add<extension::bpe_tokenizer::BPETokenizer>(
      {.type = "BPETokenizer",
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
                 {"merges_begins", ElementType::kI32},
                 {"merges_ends", ElementType::kI32},
                 {"merges_symbols", ElementType::kU8},
                 {"right_or_added_begins", ElementType::kI32},
                 {"right_or_added_ends", ElementType::kI32},
                 {"right_or_added_symbols", ElementType::kU8},
                 {"added", {ElementType::kI32, ElementType::kU8}, InputTypes::kAny, true}},
       .domain = "extension"});
}
}  // namespace wasmvino::ops
