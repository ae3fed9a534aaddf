// SPDX-License-Identifier: Apache-2.0
// UTF8Validate: replaces or drops bytes that are not UTF-8.
// https://github.com/openvinotoolkit/openvino_tokenizers/blob/master/src/utf8_validate.cpp
#include "model/registry.h"
#include "ops/extension/strings.h"

namespace wasmvino::ops::extension::utf8_validate {

class Validating final : public Kernel {
 public:
  explicit Validating(bool replace) : replace_(replace) {}

  void run(EvalContext& context) override {
    const Strings strings(context, 0);
    strings_.clear();
    for (size_t i = 0; i < strings.size(); ++i) {
      append_valid(strings[i], strings_.bytes(), replace_);
      strings_.close();
    }
    strings_.write(context, 0);
  }

 private:
  bool replace_;
  StringList strings_;
};

class UTF8Validate final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override { visitor.on("replace_mode", replace_mode_); }
  size_t least_outputs() const override { return 3; }

  void infer(InferContext& context) const override {
    context.expect_inputs(3);
    infer_strings(context, 0, context.input_shape(0));
  }

  std::unique_ptr<Kernel> compile(CompileContext&) const override {
    return std::make_unique<Validating>(replace_mode_);
  }

 private:
  bool replace_mode_ = false;
};

}  // namespace wasmvino::ops::extension::utf8_validate

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(utf8_validate) {
  registry.add<extension::utf8_validate::UTF8Validate>(
      {.type = "UTF8Validate",
       .versions = {1},
       .specification = "",
       .types = {{"begins", ElementType::kI32}, {"ends", ElementType::kI32}, {"symbols", ElementType::kU8}},
       .domain = "extension"});
}
}  // namespace wasmvino::ops
