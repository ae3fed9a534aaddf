// SPDX-License-Identifier: Apache-2.0
// ByteFallback: tokens <0x00> to <0xFF> become the bytes that they name.
// https://github.com/openvinotoolkit/openvino_tokenizers/blob/master/src/byte_fallback.cpp
#include "model/registry.h"
#include "ops/extension/strings.h"

namespace wasmvino::ops::extension::byte_fallback {

// The value of an upper-case hexadecimal digit, or -1.
int digit(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  return letter >= 'A' && letter <= 'F' ? letter - 'A' + 10 : -1;
}

class Falling final : public Kernel {
 public:
  void run(EvalContext& context) override {
    const Strings tokens(context, 0);
    strings_.clear();
    for (size_t i = 0; i < tokens.size(); ++i) {
      const std::string_view token = tokens[i];
      const bool byte = token.size() == 6 && token.starts_with("<0x") && token.ends_with('>') &&
                        digit(token[3]) >= 0 && digit(token[4]) >= 0;
      if (byte) {
        const char value = static_cast<char>(digit(token[3]) * 16 + digit(token[4]));
        strings_.add({&value, 1});
      } else {
        strings_.add(token);
      }
    }
    strings_.write(context, 0);
  }

 private:
  StringList strings_;
};

class ByteFallback final : public Op {
 public:
  size_t least_outputs() const override { return 3; }

  void infer(InferContext& context) const override {
    context.expect_inputs(3);
    infer_strings(context, 0, context.input_shape(0));
  }

  std::unique_ptr<Kernel> compile(CompileContext&) const override { return std::make_unique<Falling>(); }
};

}  // namespace wasmvino::ops::extension::byte_fallback

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(byte_fallback) {
  registry.add<extension::byte_fallback::ByteFallback>(
      {.type = "ByteFallback",
       .versions = {1},
       .specification = "",
       .types = {{"begins", ElementType::kI32}, {"ends", ElementType::kI32}, {"symbols", ElementType::kU8}},
       .domain = "extension"});
}
}  // namespace wasmvino::ops
