// SPDX-License-Identifier: Apache-2.0
// NormalizeUnicode: SentencePiece's rules for a normalisation form.
// https://github.com/openvinotoolkit/openvino_tokenizers/blob/master/src/normalize_unicode.cpp
#include "model/registry.h"
#include "ops/extension/normalization.h"

namespace wasmvino::ops::extension::normalize_unicode {

class NormalizeUnicode final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on_enum("normalization_form", form_, {"identity", "NFC", "NFD", "NFKC", "NFKD"});
  }
  size_t least_outputs() const override { return 3; }

  void infer(InferContext& context) const override {
    context.expect_inputs(3, 4);
    if (form_ == Form::kIdentity) {
      fail(ErrorCode::kInvalidModel,
           "attribute 'normalization_form' is 'identity', expected NFC, NFD, NFKC or NFKD");
    }
    infer_normalization(context, context.input_count() == 4);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    auto rules = context.shared<Rules>(0, cat("rules of form ", static_cast<int>(form_)),
                                       [&] { return std::shared_ptr<Rules>(rules_of(form_, false)); });
    return std::make_unique<RuleNormalization>(std::move(rules), Spaces(), context.input_count() == 4);
  }

 private:
  Form form_ = Form::kNfd;
};

}  // namespace wasmvino::ops::extension::normalize_unicode

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(normalize_unicode) {
  registry.add<extension::normalize_unicode::NormalizeUnicode>({.type = "NormalizeUnicode",
                                                                .versions = {1},
                                                                .specification = "",
                                                                .types = {{"begins", ElementType::kI32},
                                                                          {"ends", ElementType::kI32},
                                                                          {"symbols", ElementType::kU8},
                                                                          {"skips", kBoolean}},
                                                                .domain = "extension"});
}
}  // namespace wasmvino::ops
