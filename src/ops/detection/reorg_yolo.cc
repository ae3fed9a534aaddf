// SPDX-License-Identifier: Apache-2.0
// ReorgYolo: moves the elements of each stride x stride square of a feature map into channels.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/detection/reorg-yolo-1.html
#include <cstdint>

#include "model/registry.h"
#include "ops/inputs/checks.h"
#include "ops/movement/strided_copy.h"

namespace wasmvino::ops::reorg_yolo {

// Its square fits an int64_t.
constexpr int64_t kMostStride = INT32_MAX;

class ReorgYolo final : public CopyOp {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("stride", stride_);
    if (stride_ < 1 || stride_ > kMostStride)
      fail(ErrorCode::kInvalidModel, "attribute 'stride' is ", stride_, ", expected 1 to ", kMostStride);
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(1);
    expect_rank(context, 0, 4, 4, "data");
    PartialShape shape = context.input_shape(0);
    if (!shape.has_rank()) shape = PartialShape::of_rank(4);
    if (shape[1].is_static() && shape[1].size() % (stride_ * stride_) != 0) {
      fail(ErrorCode::kInvalidShape, "axis 1 of data ", shape, " is not a multiple of stride * stride, ",
           stride_ * stride_);
    }
    shape[1] = shape[1] * Dimension(stride_ * stride_);
    for (const size_t axis : {size_t{2}, size_t{3}}) {
      Dimension& size = shape[axis];
      if (size.is_static() && size.size() % stride_ != 0) {
        fail(ErrorCode::kInvalidShape, "axis ", axis, " of data ", context.input_shape(0),
             " is not a multiple of stride, ", stride_);
      }
      size = size.is_static() ? Dimension(size.size() / stride_) : Dimension();
    }
    context.set_output(0, context.input_type(0), shape);
  }

 protected:
  // Darknet's layer first reinterprets the map [C, H, W] as [C / s^2, H s, W s], without moving anything.
  // Viewed as [C / s^2, H, s, W, s], the axes of size s then move to the front.
  StridedCopy plan(const CompileContext& context) const override {
    const Shape input = context.input_shape(0);
    const Shape from = {input[0], input[1] / (stride_ * stride_), input[2], stride_, input[3], stride_};
    const Ints strides = row_major_strides(from);
    Shape to;
    Ints from_strides;
    for (const size_t axis : {0, 3, 5, 1, 2, 4}) {
      to.push_back(from[axis]);
      from_strides.push_back(strides[axis]);
    }
    return StridedCopy(context.input_type(0), to, from_strides, row_major_strides(to));
  }

 private:
  int64_t stride_ = 1;
};

}  // namespace wasmvino::ops::reorg_yolo

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(reorg_yolo) {
  registry.add<reorg_yolo::ReorgYolo>({"ReorgYolo", {2}, "detection/reorg-yolo-1", {{"data", kAllTypes}}});
}
}  // namespace wasmvino::ops
