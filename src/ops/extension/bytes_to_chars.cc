// SPDX-License-Identifier: Apache-2.0
// BytesToChars: writes each byte as the letter that byte-level vocabularies have for it.
// https://github.com/openvinotoolkit/openvino_tokenizers/blob/master/src/bytes_to_chars.cpp
#include "model/registry.h"
#include "ops/extension/byte_letters.h"
#include "ops/extension/strings.h"

namespace wasmvino::ops::extension::bytes_to_chars {

class Writing final : public Kernel {
 public:
  explicit Writing(bool has_skips) : has_skips_(has_skips) {}

  void run(EvalContext& context) override {
    const Strings texts(context, 2);
    const bool* skips = nullptr;
    if (has_skips_) {
      if (context.input(5).size() != texts.size()) {
        fail(ErrorCode::kInvalidShape, "there are ", texts.size(), " strings, but ", context.input(5).size(),
             " skips");
      }
      skips = context.input(5).data<bool>();
    }
    strings_.clear();
    for (size_t i = 0; i < texts.size(); ++i) {
      for (const char byte : texts[i]) {
        if (skips != nullptr && skips[i]) {
          strings_.bytes().push_back(byte);
        } else {
          append_code_point(letters_[static_cast<uint8_t>(byte)], strings_.bytes());
        }
      }
      strings_.close();
    }
    copy_through(context, 0, 0);
    copy_through(context, 1, 1);
    strings_.write(context, 2);
    if (has_skips_ && context.output_count() > 5) copy_through(context, 5, 5);
  }

 private:
  bool has_skips_;
  std::array<char16_t, 256> letters_ = byte_letters();
  StringList strings_;
};

class BytesToChars final : public Op {
 public:
  size_t least_outputs() const override { return 5; }

  void infer(InferContext& context) const override {
    context.expect_inputs(5, 6);
    context.set_output(0, ElementType::kI32, context.input_shape(0));
    context.set_output(1, ElementType::kI32, context.input_shape(1));
    infer_strings(context, 2, context.input_shape(2));
    if (context.input_count() == 6 && context.output_count() > 5) {
      context.set_output(5, ElementType::kBoolean, context.input_shape(5));
    }
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return std::make_unique<Writing>(context.input_count() == 6);
  }
};

}  // namespace wasmvino::ops::extension::bytes_to_chars

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(bytes_to_chars) {
  registry.add<extension::bytes_to_chars::BytesToChars>({.type = "BytesToChars",
                                                         .versions = {1},
                                                         .specification = "",
                                                         .types = {{"row_begins", ElementType::kI32},
                                                                   {"row_ends", ElementType::kI32},
                                                                   {"begins", ElementType::kI32},
                                                                   {"ends", ElementType::kI32},
                                                                   {"symbols", ElementType::kU8},
                                                                   {"skips", kBoolean}},
                                                         .domain = "extension"});
}
}  // namespace wasmvino::ops
