// SPDX-License-Identifier: Apache-2.0
// Select: the element of `then` where the condition is true, that of `else` where it is false.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/condition/select-1.html
#include "core/dispatch.h"
#include "kernels/binary.h"
#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops::select {

template <typename Word>
void select_loop(const LoopOperand* in, void* out, size_t count, const LoopParameters&) {
  kernels::select(in[0].as<uint8_t>(), in[0].step, in[1].as<Word>(), in[1].step, in[2].as<Word>(), in[2].step,
                  static_cast<Word*>(out), count);
}

class Select final : public ElementwiseOp {
 public:
  void visit_attributes(AttributeVisitor& visitor) override { visit_auto_broadcast(visitor, broadcast_); }

  void infer(InferContext& context) const override {
    context.expect_inputs(3);
    const ElementType type = context.common_type(1, 2);
    const PartialShape chosen = broadcast_shapes(broadcast_, context.input_shape(1), context.input_shape(2));
    context.set_output(0, type, broadcast_shapes(broadcast_, chosen, context.input_shape(0)));
  }

  // Elements are only moved, so their width selects the loop.
  ElementwiseFunction function(ElementType type) const override {
    ElementwiseFunction function = with_storage(type, [&]<typename Word>() -> ElementwiseFunction {
      if constexpr (std::is_integral_v<Word>) return elementwise_function(select_loop<Word>, type);
      refuse_type(type);
    });
    function.operands[0] = ElementType::kBoolean;
    return function;
  }

  size_t typed_input() const override { return 1; }
  std::optional<AutoBroadcast> auto_broadcast() const override { return broadcast_; }

  Shape aligned_shape(const CompileContext& context, size_t i) const override {
    return align_shape(broadcast_, context.input_shape(i), context.output_shape(0).size());
  }

 private:
  AutoBroadcast broadcast_ = AutoBroadcast::kNumpy;
};

}  // namespace wasmvino::ops::select

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(select) {
  registry.add<select::Select>(
      {"Select",
       {1},
       "condition/select-1",
       {{"cond", kBoolean}, {"then", kNumbers | kBoolean}, {"else", kNumbers | kBoolean, 1}}});
}
}  // namespace wasmvino::ops
