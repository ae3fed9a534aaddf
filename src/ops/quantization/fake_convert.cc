// SPDX-License-Identifier: Apache-2.0
// FakeConvert: scales and shifts each element, rounds it to an 8-bit floating point number, and reverses
// scale and shift.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/quantization/fake-convert-13.html
#include "kernels/quantize.h"
#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops::fake_convert {

// Cost of a division and three roundings.
constexpr uint32_t kCost = 8;

template <kernels::Float8 kType>
void convert_loop(const LoopOperand* in, void* out, size_t count, const LoopParameters&) {
  static constexpr float kNoShift = 0;
  const auto operand = [in](size_t i) { return kernels::QuantizeOperand{in[i].as<float>(), in[i].step}; };
  const kernels::QuantizeOperand shift = in[2].data ? operand(2) : kernels::QuantizeOperand{&kNoShift, 0};
  kernels::fake_convert(kType, operand(0), operand(1), shift, static_cast<float*>(out), count);
}

class FakeConvert final : public ElementwiseOp {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.require("destination_type");
    visitor.on_enum("destination_type", destination_, {"f8e4m3", "f8e5m2"});
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(2, 3);
    static constexpr std::string_view kNames[] = {"data", "scale", "shift"};
    ElementType type = context.input_type(0);
    const PartialShape& data = context.input_shape(0);
    for (size_t i = 0; i < context.input_count(); ++i) {
      if (type == ElementType::kDynamic) type = context.input_type(i);
      const PartialShape together = broadcast_shapes(AutoBroadcast::kNumpy, data, context.input_shape(i));
      if (!together.compatible(data)) {
        throw Error(ErrorCode::kInvalidShape, cat(kNames[i], " has shape ", context.input_shape(i),
                                                  ", which cannot be broadcast to data ", data))
            .expected(cat(data))
            .actual(cat(context.input_shape(i)))
            .port(std::string(kNames[i]));
      }
    }
    context.set_output(0, type, data);
  }

  ElementwiseFunction function(ElementType) const override {
    return elementwise_function(destination_ == kernels::Float8::kE4m3 ? convert_loop<kernels::Float8::kE4m3>
                                                                       : convert_loop<kernels::Float8::kE5m2>,
                                ElementType::kF32, kCost);
  }

 private:
  kernels::Float8 destination_ = kernels::Float8::kE4m3;
};

}  // namespace wasmvino::ops::fake_convert

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(fake_convert) {
  registry.add<fake_convert::FakeConvert>({"FakeConvert",
                                           {13},
                                           "quantization/fake-convert-13",
                                           {{"data", kFloats - ElementType::kF64},
                                            {"scale", kFloats - ElementType::kF64, 0},
                                            {"shift", kFloats - ElementType::kF64, 0}}});
}
}  // namespace wasmvino::ops
