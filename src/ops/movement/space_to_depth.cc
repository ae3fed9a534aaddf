// SPDX-License-Identifier: Apache-2.0
// SpaceToDepth: moves blocks of the axes behind the channels into them.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/movement/space-to-depth-1.html
#include "model/registry.h"
#include "ops/common/depth_blocks.h"
#include "ops/common/inputs.h"
#include "ops/common/strided_copy.h"

namespace wasmvino::ops::space_to_depth {

class SpaceToDepth final : public CopyOp {
 public:
  void visit_attributes(AttributeVisitor& visitor) override { visit_depth_blocks(visitor, blocks_); }

  void infer(InferContext& context) const override {
    context.expect_inputs(1);
    PartialShape shape = context.input_shape(0);
    expect_depth_blocks(context, blocks_);
    if (shape.has_rank()) {
      for (size_t axis = 2; axis < shape.rank(); ++axis) {
        shape[1] = shape[1] * Dimension(blocks_.size);
        shape[axis] = divided(shape, axis, blocks_.size);
      }
    }
    context.set_output(0, context.input_type(0), shape);
  }

 protected:
  StridedCopy plan(const CompileContext& context) const override {
    const DepthBlockAxes axes = depth_block_axes(context.input_shape(0), context.output_shape(0), blocks_);
    return StridedCopy(context.output_type(0), axes.shape, axes.space_strides, axes.depth_strides);
  }

 private:
  DepthBlocks blocks_;
};

}  // namespace wasmvino::ops::space_to_depth

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(space_to_depth) {
  registry.add<space_to_depth::SpaceToDepth>({"SpaceToDepth", {1}, "movement/space-to-depth-1"});
}
}  // namespace wasmvino::ops
