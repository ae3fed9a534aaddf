// SPDX-License-Identifier: Apache-2.0
// StringTensorPack: makes strings from bytes, given the begin and end of each string.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/type/string-tensor-pack-15.html
#include <string>

#include "model/registry.h"
#include "ops/inputs/indices.h"
#include "ops/inputs/inputs.h"

namespace wasmvino::ops::string_tensor_pack {

class StringTensorPack final : public Op {
 public:
  void infer(InferContext& context) const override {
    context.expect_inputs(3);
    expect_rank(context, 2, 1, 1, "symbols");
    const auto shape = context.input_shape(0).merge(context.input_shape(1));
    if (!shape) {
      throw Error(ErrorCode::kInvalidShape, cat("begins has shape ", context.input_shape(0),
                                                ", but ends has shape ", context.input_shape(1)))
          .expected(cat(context.input_shape(0)))
          .actual(cat(context.input_shape(1)))
          .port("ends");
    }
    context.set_output(0, ElementType::kString, *shape);
  }

  void evaluate(EvalContext& context) const override {
    const TensorView& ends = context.input(1);
    const TensorView& symbols = context.input(2);
    const int64_t size = static_cast<int64_t>(symbols.size());
    std::string* strings = context.output(0).mutable_data<std::string>();
    for_indices(context.input(0), 0, context.input(0).size(), [&](size_t i, int64_t begin) {
      const int64_t end = load_integer(ends, i);
      if (begin < 0 || begin > end || end > size) {
        throw Error(ErrorCode::kInvalidValue,
                    cat("string ", i, " is ", begin, "..", end, ", outside the ", size, " symbols"))
            .expected(cat("0 <= begin <= end <= ", size))
            .actual(cat(begin, " and ", end))
            .port("begins");
      }
      strings[i].assign(symbols.data<char>() + begin, static_cast<size_t>(end - begin));
    });
  }
};

}  // namespace wasmvino::ops::string_tensor_pack

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(string_tensor_pack) {
  registry.add<string_tensor_pack::StringTensorPack>(
      {"StringTensorPack",
       {15},
       "type/string-tensor-pack-15",
       {{"begins", kAnyIntegers}, {"ends", kAnyIntegers}, {"symbols", ElementType::kU8}}});
  // As OpenVINO Tokenizers wrote it before opset 15.
  registry.add<string_tensor_pack::StringTensorPack>(
      {.type = "StringTensorPack",
       .versions = {1},
       .specification = "",
       .types = {{"begins", kAnyIntegers}, {"ends", kAnyIntegers}, {"symbols", ElementType::kU8}},
       .domain = "extension"});
}
}  // namespace wasmvino::ops
