// SPDX-License-Identifier: Apache-2.0
// CharsToBytes: joins the strings of each row, and reads each letter as the byte for which byte-level
// vocabularies have it.
// https://github.com/openvinotoolkit/openvino_tokenizers/blob/master/src/chars_to_bytes.cpp
#include "model/registry.h"
#include "ops/extension/byte_letters.h"
#include "ops/extension/strings.h"

namespace wasmvino::ops::extension::chars_to_bytes {

class Reading final : public Kernel {
 public:
  Reading() {
    const std::array<char16_t, 256> letters = byte_letters();
    for (size_t byte = 0; byte < letters.size(); ++byte) bytes_[letters[byte]] = static_cast<char>(byte);
  }

  void run(EvalContext& context) override {
    const Ranges rows = rows_of(context, 0);
    const Strings texts(context, 2);
    strings_.clear();
    for (size_t row = 0; row < rows.size(); ++row) {
      const auto [begin, end] = rows[row];
      for (size_t i = begin; i < end; ++i) read(texts[i]);
      strings_.close();
    }
    strings_.write(context, 0);
  }

 private:
  void read(std::string_view text) {
    while (!text.empty()) {
      size_t bad = 0;
      size_t length = valid_length(text, bad);
      const char32_t letter = length == 0 ? 0 : code_point(text, length);
      if (length == 0) length = bad;
      if (letter >= 0x80 && letter < bytes_.size() && (letter >= 0x100 || is_own_letter(letter))) {
        strings_.bytes().push_back(bytes_[letter]);
      } else {  // ASCII, and what stands for no byte
        strings_.bytes().append(text.substr(0, length));
      }
      text.remove_prefix(length);
    }
  }

  std::array<char, 0x144> bytes_ = {};  // by letter
  StringList strings_;
};

class CharsToBytes final : public Op {
 public:
  size_t least_outputs() const override { return 3; }

  void infer(InferContext& context) const override {
    context.expect_inputs(5);
    infer_strings(context, 0, context.input_shape(0));
  }

  std::unique_ptr<Kernel> compile(CompileContext&) const override { return std::make_unique<Reading>(); }
};

}  // namespace wasmvino::ops::extension::chars_to_bytes

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(chars_to_bytes) {
  registry.add<extension::chars_to_bytes::CharsToBytes>({.type = "CharsToBytes",
                                                         .versions = {1},
                                                         .specification = "",
                                                         .types = {{"row_begins", ElementType::kI32},
                                                                   {"row_ends", ElementType::kI32},
                                                                   {"begins", ElementType::kI32},
                                                                   {"ends", ElementType::kI32},
                                                                   {"symbols", ElementType::kU8}},
                                                         .domain = "extension"});
}
}  // namespace wasmvino::ops
