// SPDX-License-Identifier: Apache-2.0
// StringNormalizer: removes stop words, which are whole strings, and changes the case of the others. If none
// is left, the result is one empty string. https://onnx.ai/onnx/operators/onnx__StringNormalizer.html
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/call.h"
#include "model/registry.h"
#include "ops/inputs/checks.h"

namespace wasmvino::ops::string_normalizer {

enum class Case { kNone, kLower, kUpper };

char changed(char letter, Case to) {
  if (to == Case::kLower && letter >= 'A' && letter <= 'Z') return static_cast<char>(letter + 32);
  if (to == Case::kUpper && letter >= 'a' && letter <= 'z') return static_cast<char>(letter - 32);
  return letter;
}

std::string changed(std::string text, Case to) {
  for (char& letter : text) letter = changed(letter, to);
  return text;
}

class Normalizing final : public Kernel {
 public:
  Normalizing(Case to, bool case_sensitive, std::vector<std::string> stop_words)
      : to_(to), compared_(case_sensitive ? Case::kNone : Case::kLower), stop_words_(std::move(stop_words)) {
    for (std::string& word : stop_words_) word = changed(std::move(word), compared_);
    std::sort(stop_words_.begin(), stop_words_.end());
  }

  void run(EvalContext& context) override {
    const TensorView& data = context.input(0);
    const auto* texts = data.data<std::string>();
    WorkMeter meter;
    kept_.clear();
    for (size_t i = 0; i < data.size(); ++i) {
      meter.add(texts[i].size() + 64);
      if (std::binary_search(stop_words_.begin(), stop_words_.end(), changed(texts[i], compared_))) continue;
      check(texts[i]);
      kept_.push_back(changed(texts[i], to_));
    }
    if (kept_.empty()) kept_.emplace_back();
    const auto count = static_cast<int64_t>(kept_.size());
    context.set_output_shape(0, data.shape.size() == 2 ? Shape{1, count} : Shape{count});
    std::copy(kept_.begin(), kept_.end(), context.output(0).mutable_data<std::string>());
  }

 private:
  void check(std::string_view text) const {
    if (to_ == Case::kNone || std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; }))
      return;
    fail(ErrorCode::kUnsupported, "changes the case of a string with other letters than those of ASCII (",
         text.size(), " bytes), which is not supported");
  }

  Case to_, compared_;
  std::vector<std::string> stop_words_, kept_;
};

class StringNormalizer final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on_enum("case_change_action", to_, {"NONE", "LOWER", "UPPER"});
    visitor.on("is_case_sensitive", case_sensitive_);
    visitor.on("stopwords", stop_words_);
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(1);
    expect_rank(context, 0, 1, 2, "data");
    PartialShape shape = context.input_shape(0);
    if (shape.has_rank()) {
      if (shape.rank() == 2)
        shape[0] = expect_size(context, 0, "data", 0, Dimension(1), "the number of rows");
      shape[shape.rank() - 1] = Dimension();
    }
    context.set_output(0, ElementType::kString, shape);
  }

  std::unique_ptr<Kernel> compile(CompileContext&) const override {
    return std::make_unique<Normalizing>(to_, case_sensitive_, stop_words_);
  }

 private:
  Case to_ = Case::kNone;
  bool case_sensitive_ = false;
  std::vector<std::string> stop_words_;
};

}  // namespace wasmvino::ops::string_normalizer

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(string_normalizer) {
  registry.add<string_normalizer::StringNormalizer>(
      {"StringNormalizer", {1}, "StringNormalizer", {{"data", kString}}, kLastOpset, "ai.onnx"});
}
}  // namespace wasmvino::ops
