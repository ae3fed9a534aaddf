// SPDX-License-Identifier: Apache-2.0
// VocabDecoder: the bytes of tokens.
// https://github.com/openvinotoolkit/openvino_tokenizers/blob/master/src/vocab_decoder.cpp
#include "core/call.h"
#include "model/registry.h"
#include "ops/extension/strings.h"
#include "ops/inputs/inputs.h"

namespace wasmvino::ops::extension::vocab_decoder {

class Decoding final : public Kernel {
 public:
  explicit Decoding(Ints skip_tokens) : skip_tokens_(std::move(skip_tokens)) {}

  void run(EvalContext& context) override {
    const TensorView& tokens = context.input(0);
    const Strings vocabulary(context, 1);
    skipped_.assign(vocabulary.size(), 0);
    const auto skip = [&](int64_t token) {
      if (token >= 0 && token < static_cast<int64_t>(vocabulary.size()))
        skipped_[static_cast<size_t>(token)] = 1;
    };
    if (context.input_count() > 4) {
      const TensorView& list = context.input(4);
      for (size_t i = 0; i < list.size(); ++i) skip(list.data<int32_t>()[i]);
    } else {
      for (const int64_t token : skip_tokens_) skip(token);
    }
    rows_.clear();
    strings_.clear();
    const auto rows = static_cast<size_t>(tokens.shape[0]), length = static_cast<size_t>(tokens.shape[1]);
    const int32_t* token = tokens.data<int32_t>();
    WorkMeter meter;
    for (size_t row = 0; row < rows; ++row) {
      const size_t first = strings_.size();
      if (length == 0) strings_.add({});  // a row without tokens is an empty string
      for (size_t i = 0; i < length; ++i, ++token) {
        const bool known = *token >= 0 && static_cast<size_t>(*token) < vocabulary.size();
        const std::string_view text = known && !skipped_[static_cast<size_t>(*token)]
                                          ? vocabulary[static_cast<size_t>(*token)]
                                          : std::string_view();
        strings_.add(text);
        meter.add(text.size() + 8);
      }
      rows_.add(first, strings_.size());
    }
    rows_.write(context, 0);
    strings_.write_vectors(context, 2);
  }

 private:
  Ints skip_tokens_;
  std::vector<char> skipped_;
  RowList rows_;
  StringList strings_;
};

class VocabDecoder final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override { visitor.on("skip_tokens", skip_tokens_); }
  size_t least_outputs() const override { return 5; }

  void infer(InferContext& context) const override {
    context.expect_inputs(4, 5);
    expect_rank(context, 0, 2, 2, "tokens");
    const PartialShape& tokens = context.input_shape(0);
    infer_string_rows(context, 0, {tokens.has_rank() ? tokens[0] : Dimension()});
  }

  std::unique_ptr<Kernel> compile(CompileContext&) const override {
    return std::make_unique<Decoding>(skip_tokens_);
  }

 private:
  Ints skip_tokens_;
};

}  // namespace wasmvino::ops::extension::vocab_decoder

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(vocab_decoder) {
  registry.add<extension::vocab_decoder::VocabDecoder>({.type = "VocabDecoder",
                                                        .versions = {1},
                                                        .specification = "",
                                                        .types = {{"tokens", ElementType::kI32},
                                                                  {"vocab_begins", ElementType::kI32},
                                                                  {"vocab_ends", ElementType::kI32},
                                                                  {"vocab_symbols", ElementType::kU8},
                                                                  {"skip_tokens", ElementType::kI32}},
                                                        .domain = "extension"});
}
}  // namespace wasmvino::ops
