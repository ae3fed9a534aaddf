// SPDX-License-Identifier: Apache-2.0
// CaseFold: simple case folding of Unicode, or lower or upper case of ASCII letters.
// https://github.com/openvinotoolkit/openvino_tokenizers/blob/master/src/case_fold.cpp
#include "model/registry.h"
#include "ops/extension/normalization.h"

namespace wasmvino::ops::extension::case_fold {

class AsciiCase final : public Normalization {
 public:
  AsciiCase(bool lower, bool has_skips) : Normalization(has_skips), first_(lower ? 'A' : 'a') {}

 private:
  void rewrite(std::string_view text, std::string& to) override {
    for (const char letter : text) {
      const bool changes = letter >= first_ && letter < first_ + 26;
      to.push_back(changes ? static_cast<char>(letter ^ 0x20) : letter);
    }
  }

  char first_;
};

class CaseFold final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("encoding", encoding_);
    visitor.on("lower", lower_);
  }
  size_t least_outputs() const override { return 3; }

  void infer(InferContext& context) const override {
    context.expect_inputs(3, 4);
    if (!encoding_.empty() && (encoding_ != "utf-8" || !lower_)) {
      fail(ErrorCode::kInvalidModel, "attribute 'encoding' is '", encoding_,
           "', expected an empty text, or utf-8 with lower=\"true\"");
    }
    infer_normalization(context, context.input_count() == 4);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    const bool skips = context.input_count() == 4;
    if (encoding_.empty()) return std::make_unique<AsciiCase>(lower_, skips);
    return std::make_unique<RuleNormalization>(
        context.shared<Rules>(0, "case folding",
                              [] { return std::shared_ptr<Rules>(rules_of(Form::kIdentity, true)); }),
        Spaces(), skips);
  }

 private:
  std::string encoding_ = "utf-8";
  bool lower_ = true;
};

}  // namespace wasmvino::ops::extension::case_fold

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(case_fold) {
  registry.add<extension::case_fold::CaseFold>({.type = "CaseFold",
                                                .versions = {1},
                                                .specification = "",
                                                .types = {{"begins", ElementType::kI32},
                                                          {"ends", ElementType::kI32},
                                                          {"symbols", ElementType::kU8},
                                                          {"skips", kBoolean}},
                                                .domain = "extension"});
}
}  // namespace wasmvino::ops
