// SPDX-License-Identifier: Apache-2.0
// ShapeOf: the shape of a tensor as a 1-D tensor.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/shape/shape-of-3.html
#include "model/registry.h"

namespace wasmvino::ops::shape_of {

class ShapeOf final : public Op {
 public:
  explicit ShapeOf(int version) : version_(version) {}

  void visit_attributes(AttributeVisitor& visitor) override {
    if (version_ >= 3) visitor.on("output_type", output_type_);
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(1);
    if (output_type_ != ElementType::kI64 && output_type_ != ElementType::kI32) {
      fail(ErrorCode::kInvalidModel, "attribute 'output_type' is ", output_type_, ", expected i32 or i64");
    }
    const PartialShape& shape = context.input_shape(0);
    if (shape.is_static()) {
      context.set_output_value(0, sizes(shape.to_shape()));
    } else {
      context.set_output(0, output_type_,
                         {shape.has_rank() ? Dimension(static_cast<int64_t>(shape.rank())) : Dimension()});
    }
  }

 private:
  Tensor sizes(const Shape& shape) const {
    const Shape length = {static_cast<int64_t>(shape.size())};
    if (output_type_ == ElementType::kI64) return Tensor::of<int64_t>(length, shape.data());
    Tensor tensor(ElementType::kI32, length);
    for (size_t i = 0; i < shape.size(); ++i)
      tensor.mutable_data<int32_t>()[i] = static_cast<int32_t>(shape[i]);
    return tensor;
  }

  int version_;
  ElementType output_type_ = ElementType::kI64;
};

}  // namespace wasmvino::ops::shape_of

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(shape_of) {
  registry.add<shape_of::ShapeOf>({"ShapeOf", {1, 3}, "shape/shape-of-3", {{"data", kAllTypes}}, 17});
}
}  // namespace wasmvino::ops
