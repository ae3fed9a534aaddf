// SPDX-License-Identifier: Apache-2.0
// BitCast: the same bytes as another element type of the same width.
// https://onnx.ai/onnx/operators/onnx__BitCast.html
#include <cstring>

#include "model/registry.h"

namespace wasmvino::ops::bit_cast {

class BitCast final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override { visitor.on("to", to_); }

  void infer(InferContext& context) const override {
    context.expect_inputs(1);
    const ElementType from = context.input_type(0);
    if (to_ == ElementType::kString || bit_width(to_) == 0)
      fail(ErrorCode::kInvalidModel, "attribute 'to' is ", to_, ", expected a numeric type");
    if (from != ElementType::kDynamic && bit_width(from) != bit_width(to_)) {
      fail(ErrorCode::kInvalidType, "casts the bits of ", from, " (", bit_width(from), " bits) to ", to_,
           " (", bit_width(to_), " bits), expected types of the same width");
    }
    context.set_output(0, to_, context.input_shape(0));
  }

  void evaluate(EvalContext& context) const override {
    const TensorView& from = context.input(0);
    if (from.size() == 0) return;
    std::memcpy(context.output(0).memory, from.memory, storage_bytes(from.type, from.size()));
  }

 private:
  ElementType to_ = ElementType::kDynamic;
};

}  // namespace wasmvino::ops::bit_cast

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(bit_cast) {
  registry.add<bit_cast::BitCast>(
      {"BitCast", {1}, "BitCast", {{"data", kAllTypes - kString}}, kLastOpset, "ai.onnx"});
}
}  // namespace wasmvino::ops
