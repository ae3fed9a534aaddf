// SPDX-License-Identifier: Apache-2.0
// CharsMapNormalization: the normaliser of SentencePiece, with the rules of a form or of the model.
// https://github.com/openvinotoolkit/openvino_tokenizers/blob/master/src/charsmap_normalization.cpp
#include "model/registry.h"
#include "ops/extension/normalization.h"

namespace wasmvino::ops::extension::charsmap_normalization {

class CharsMapNormalization final : public Op {
 public:
  CharsMapNormalization() { spaces_.remove_extra_whitespaces = true; }

  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("add_dummy_prefix", spaces_.add_dummy_prefix);
    visitor.on("remove_extra_whitespaces", spaces_.remove_extra_whitespaces);
    visitor.on("escape_whitespaces", spaces_.escape_whitespaces);
    visitor.on("normalization_form", form_);
    visitor.on("case_fold", case_fold_);
    visitor.on("nmt", nmt_);  // written by OpenVINO Tokenizers, which does not use it
  }
  size_t least_outputs() const override { return 3; }

  void infer(InferContext& context) const override {
    context.expect_inputs(3, 5);
    if (form_.empty() && context.input_count() == 3) {
      fail(ErrorCode::kInvalidModel,
           "CharsMapNormalization has neither a normalization_form nor a map of characters");
    }
    if (!form_.empty()) form();
    infer_normalization(context, has_skips(context.input_count()));
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    const bool skips = has_skips(context.input_count());
    std::shared_ptr<const Rules> rules;
    if (form_.empty()) {
      const size_t map = context.input_count() - 1;
      rules = context.shared<CharsMap>(map, "map of characters", [&] {
        return std::make_shared<CharsMap>(constant_text(context, map, "the map of characters"));
      });
    } else {
      rules = context.shared<Rules>(0, cat("rules ", form_, case_fold_),
                                    [&] { return std::shared_ptr<Rules>(rules_of(form(), case_fold_)); });
    }
    return std::make_unique<RuleNormalization>(std::move(rules), spaces_, skips);
  }

 private:
  bool has_skips(size_t inputs) const { return inputs == 5 || (inputs == 4 && !form_.empty()); }

  Form form() const {
    constexpr std::pair<std::string_view, Form> forms[] = {
        {"nfc", Form::kNfc}, {"nfd", Form::kNfd}, {"nfkc", Form::kNfkc}, {"nfkd", Form::kNfkd}};
    for (const auto& [name, form] : forms) {
      if (equal_ignoring_case(form_, name)) return form;
    }
    if (equal_ignoring_case(form_, "identity")) return Form::kIdentity;
    fail(ErrorCode::kInvalidModel, "attribute 'normalization_form' is '", form_,
         "', expected nfc, nfd, nfkc, nfkd or identity");
  }

  Spaces spaces_;
  std::string form_;
  bool case_fold_ = false;
  bool nmt_ = false;
};

}  // namespace wasmvino::ops::extension::charsmap_normalization

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(charsmap_normalization) {
  registry.add<extension::charsmap_normalization::CharsMapNormalization>(
      {.type = "CharsMapNormalization",
       .versions = {1},
       .specification = "",
       .types = {{"begins", ElementType::kI32},
                 {"ends", ElementType::kI32},
                 {"symbols", ElementType::kU8},
                 {"skips or map", {ElementType::kBoolean, ElementType::kU8}},
                 {"map", ElementType::kU8}},
       .domain = "extension"});
}
}  // namespace wasmvino::ops
