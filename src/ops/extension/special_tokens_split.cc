// SPDX-License-Identifier: Apache-2.0
// SpecialTokensSplit: cuts special tokens out of strings, by a regular expression. The later operations skip
// them. https://github.com/openvinotoolkit/openvino_tokenizers/blob/master/src/special_tokens_split.cpp
#include "model/registry.h"
#include "ops/extension/regex.h"
#include "ops/extension/strings.h"

namespace wasmvino::ops::extension::special_tokens_split {

class Splitting final : public Kernel {
 public:
  Splitting(std::shared_ptr<const Regex> regex, bool skips) : matcher_(std::move(regex)), has_skips_(skips) {}

  void run(EvalContext& context) override {
    const Ranges rows = rows_of(context, 0);
    texts_.read(Strings(context, 2));
    const bool* skips = has_skips_ ? context.input(5).data<bool>() : nullptr;
    rows_.clear();
    begins_.clear(), ends_.clear(), skips_.clear();
    for (size_t row = 0; row < rows.size(); ++row) {
      const size_t first = begins_.size();
      const auto [begin, end] = rows[row];
      for (size_t i = begin; i < end; ++i) {
        if (skips != nullptr && skips[i]) {
          add(texts_[i], 0, texts_[i].size(), true);
        } else {
          split(texts_[i]);
        }
      }
      rows_.add(first, begins_.size());
    }
    rows_.write(context, 0);
    write_vector(context, 2, begins_);
    write_vector(context, 3, ends_);
    write_vector(context, 4, texts_.bytes());
    write_vector(context, 5, skips_);
  }

 private:
  void add(std::string_view text, size_t begin, size_t end, bool skip) {
    const size_t offset = texts_.offset(text.data());
    begins_.push_back(static_cast<int32_t>(offset + begin));
    ends_.push_back(static_cast<int32_t>(offset + end));
    skips_.push_back(skip ? 1 : 0);
  }

  void split(std::string_view text) {
    size_t start = 0;
    while (matcher_.find(text, start) && matcher_.begin() < matcher_.end()) {
      if (start < matcher_.begin()) add(text, start, matcher_.begin(), false);
      // The token is the group that is not empty; what matches around it is dropped, as spaces before <mask>.
      size_t token = 0;
      for (size_t group = 1; group <= matcher_.regex().groups(); ++group) {
        if (matcher_.has(group) && matcher_.begin(group) < matcher_.end(group) &&
            matcher_.begin(group) >= matcher_.begin() && matcher_.end(group) <= matcher_.end()) {
          token = group;
        }
      }
      add(text, matcher_.begin(token), matcher_.end(token), true);
      start = matcher_.end();
    }
    if (start < text.size()) add(text, start, text.size(), false);
  }

  Matcher matcher_;
  bool has_skips_;
  ValidStrings texts_;
  RowList rows_;
  std::vector<int32_t> begins_, ends_;
  std::string skips_;
};

class SpecialTokensSplit final : public Op {
 public:
  size_t least_outputs() const override { return 5; }

  void infer(InferContext& context) const override {
    context.expect_inputs(6, 7);
    expect_vector(context, context.input_count() - 1, "pattern");
    infer_string_rows(context, 0, context.input_shape(0));
    context.set_output(5, ElementType::kBoolean, {Dimension()});
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    const size_t pattern = context.input_count() - 1;
    auto regex = context.shared<Regex>(pattern, "regular expression", [&] {
      return std::make_shared<Regex>(constant_text(context, pattern, "the pattern"));
    });
    return std::make_unique<Splitting>(std::move(regex), context.input_count() == 7);
  }
};

}  // namespace wasmvino::ops::extension::special_tokens_split

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(special_tokens_split) {
  registry.add<extension::special_tokens_split::SpecialTokensSplit>(
      {.type = "SpecialTokensSplit",
       .versions = {1},
       .specification = "",
       .types = {{"row_begins", ElementType::kI32},
                 {"row_ends", ElementType::kI32},
                 {"begins", ElementType::kI32},
                 {"ends", ElementType::kI32},
                 {"symbols", ElementType::kU8},
                 {"skips or pattern", {ElementType::kBoolean, ElementType::kU8}},
                 {"pattern", ElementType::kU8}},
       .domain = "extension"});
}
}  // namespace wasmvino::ops
