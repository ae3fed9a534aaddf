// SPDX-License-Identifier: Apache-2.0
// DepthToSpace: moves blocks of channels into the axes behind them.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/movement/depth-to-space-1.html
#include "model/registry.h"
#include "ops/common/depth_blocks.h"
#include "ops/common/inputs.h"
#include "ops/common/strided_copy.h"

namespace wasmvino::ops::depth_to_space {

class DepthToSpace final : public CopyOp {
 public:
  void visit_attributes(AttributeVisitor& visitor) override { visit_depth_blocks(visitor, blocks_); }

  void infer(InferContext& context) const override {
    context.expect_inputs(1);
    PartialShape shape = context.input_shape(0);
    expect_depth_blocks(context, blocks_);
    if (shape.has_rank()) {
      for (size_t axis = 2; axis < shape.rank(); ++axis) {
        shape[1] = divided(shape, 1, blocks_.size);
        shape[axis] = shape[axis] * Dimension(blocks_.size);
      }
    }
    context.set_output(0, context.input_type(0), shape);
  }

 protected:
  StridedCopy plan(const CompileContext& context) const override {
    const DepthBlockAxes axes = depth_block_axes(context.output_shape(0), context.input_shape(0), blocks_);
    return StridedCopy(context.output_type(0), axes.shape, axes.depth_strides, axes.space_strides);
  }

 private:
  DepthBlocks blocks_;
};

}  // namespace wasmvino::ops::depth_to_space

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(depth_to_space) {
  registry.add<depth_to_space::DepthToSpace>({"DepthToSpace", {1}, "movement/depth-to-space-1"});
}
}  // namespace wasmvino::ops
