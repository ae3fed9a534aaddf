// SPDX-License-Identifier: Apache-2.0
// StringConcat: joins strings, element by element.
// https://onnx.ai/onnx/operators/onnx__StringConcat.html
#include "model/registry.h"
#include "ops/onnx/string_pairs.h"

namespace wasmvino::ops::string_concat {

class StringConcat final : public Op {
 public:
  void infer(InferContext& context) const override {
    context.expect_inputs(2);
    context.set_output(
        0, ElementType::kString,
        broadcast_shapes(AutoBroadcast::kNumpy, context.input_shape(0), context.input_shape(1)));
  }

  void evaluate(EvalContext& context) const override {
    auto* const to = context.output(0).mutable_data<std::string>();
    for_string_pairs(context.input(0), context.input(1), context.output(0).shape,
                     [&](const std::string& a, const std::string& b, size_t i) { to[i] = a + b; });
  }
};

}  // namespace wasmvino::ops::string_concat

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(string_concat) {
  registry.add<string_concat::StringConcat>(
      {"StringConcat", {1}, "StringConcat", {{"a", kString}, {"b", kString}}, kLastOpset, "ai.onnx"});
}
}  // namespace wasmvino::ops
