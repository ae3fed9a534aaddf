// SPDX-License-Identifier: Apache-2.0
// StringEqual: whether strings have the same bytes, element by element. It is the part of ONNX's Equal that
// OpenVINO's does not define.
// https://onnx.ai/onnx/operators/onnx__Equal.html
#include "model/registry.h"
#include "ops/onnx/string_pairs.h"

namespace wasmvino::ops::string_equal {

class StringEqual final : public Op {
 public:
  void infer(InferContext& context) const override {
    context.expect_inputs(2);
    context.set_output(
        0, ElementType::kBoolean,
        broadcast_shapes(AutoBroadcast::kNumpy, context.input_shape(0), context.input_shape(1)));
  }

  void evaluate(EvalContext& context) const override {
    auto* const to = context.output(0).mutable_data<uint8_t>();
    for_string_pairs(context.input(0), context.input(1), context.output(0).shape,
                     [&](const std::string& a, const std::string& b, size_t i) { to[i] = a == b ? 1 : 0; });
  }
};

}  // namespace wasmvino::ops::string_equal

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(string_equal) {
  registry.add<string_equal::StringEqual>(
      {"StringEqual", {1}, "Equal", {{"a", kString}, {"b", kString}}, kLastOpset, "ai.onnx"});
}
}  // namespace wasmvino::ops
