// SPDX-License-Identifier: Apache-2.0
// VocabEncoder: the value of each string in a table, or a default.
// https://github.com/openvinotoolkit/openvino_tokenizers/blob/master/src/vocab_encoder.cpp
#include "core/dispatch.h"
#include "model/registry.h"
#include "ops/extension/strings.h"
#include "ops/extension/token_table.h"
#include "ops/inputs/inputs.h"

namespace wasmvino::ops::extension::vocab_encoder {

// The keys, and their places in the list of values.
struct Keys {
  std::string bytes;
  std::unique_ptr<TokenTable> table;
};

class LookingUp final : public Kernel {
 public:
  explicit LookingUp(std::shared_ptr<const Keys> keys) : keys_(std::move(keys)) {}

  void run(EvalContext& context) override {
    const Strings texts(context, 0);
    const TensorView& values = context.input(6);
    TensorView& output = context.output(0);
    with_storage(values.type, [&]<typename T>() {
      for (size_t i = 0; i < texts.size(); ++i) {
        const int32_t place = keys_->table->find(texts[i]);
        const bool known = place >= 0 && static_cast<size_t>(place) < values.size();
        output.mutable_data<T>()[i] = known ? values.data<T>()[place] : *context.input(7).data<T>();
      }
    });
  }

 private:
  std::shared_ptr<const Keys> keys_;
};

class VocabEncoder final : public Op {
 public:
  void infer(InferContext& context) const override {
    context.expect_inputs(8);
    expect_single(context, 7, "the default value");
    const PartialShape &keys = context.input_shape(3), &values = context.input_shape(6);
    if (!keys.compatible(values)) {
      throw Error(ErrorCode::kInvalidShape,
                  cat("the vocabulary has shape ", keys, ", but its values have ", values))
          .expected(cat(keys))
          .actual(cat(values));
    }
    context.set_output(0, context.common_type(6, 7), context.input_shape(0));
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return std::make_unique<LookingUp>(
        context.shared<Keys>(3, "keys " + key_of_inputs(context, 3, 6), [&] { return make(context); }));
  }

 private:
  static std::shared_ptr<Keys> make(const CompileContext& context) {
    const Strings texts = constant_strings(context, 3, "the vocabulary");
    auto keys = std::make_shared<Keys>();
    keys->bytes = texts.bytes();
    keys->table = std::make_unique<TokenTable>(texts.size());
    for (size_t i = 0; i < texts.size(); ++i) {
      const std::string_view key = texts[i];
      const auto offset = static_cast<size_t>(key.data() - texts.bytes().data());
      keys->table->add(std::string_view(keys->bytes).substr(offset, key.size()), static_cast<int32_t>(i),
                       false);
    }
    return keys;
  }
};

}  // namespace wasmvino::ops::extension::vocab_encoder

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(vocab_encoder) {
  registry.add<extension::vocab_encoder::VocabEncoder>({.type = "VocabEncoder",
                                                        .versions = {1},
                                                        .specification = "",
                                                        .types = {{"begins", ElementType::kI32},
                                                                  {"ends", ElementType::kI32},
                                                                  {"symbols", ElementType::kU8},
                                                                  {"vocab_begins", ElementType::kI32},
                                                                  {"vocab_ends", ElementType::kI32},
                                                                  {"vocab_symbols", ElementType::kU8},
                                                                  {"values", kIndices},
                                                                  {"default_value", kIndices, 6}},
                                                        .domain = "extension"});
}
}  // namespace wasmvino::ops
