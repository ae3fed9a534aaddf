// SPDX-License-Identifier: Apache-2.0
#include "ops/common/depth_blocks.h"

#include "ops/common/inputs.h"

namespace wasmvino::ops {

void visit_depth_blocks(AttributeVisitor& visitor, DepthBlocks& blocks) {
  visitor.on("block_size", blocks.size);
  visitor.require("mode");
  visitor.on_enum("mode", blocks.mode, {"blocks_first", "depth_first"});
}

void expect_depth_blocks(const InferContext& context, const DepthBlocks& blocks) {
  if (blocks.size < 1) {
    fail(ErrorCode::kInvalidModel, "attribute 'block_size' is ", blocks.size, ", expected 1 or more");
  }
  expect_rank(context, 0, 3, std::numeric_limits<size_t>::max(), "data");
}

Dimension divided(const PartialShape& shape, size_t axis, int64_t block_size) {
  const Dimension size = shape[axis];
  if (size.is_static() && size.size() % block_size != 0) {
    throw Error(ErrorCode::kInvalidShape,
                cat("size ", size, " of axis ", axis, " is no multiple of 'block_size' ", block_size))
        .expected(cat("a multiple of ", block_size))
        .actual(cat(size))
        .port("data");
  }
  return {size.min / block_size + (size.min % block_size != 0),
          size.max == Dimension::kUnbounded ? size.max : size.max / block_size};
}

DepthBlockAxes depth_block_axes(const Shape& spatial, const Shape& deep, const DepthBlocks& blocks) {
  const Ints space = row_major_strides(spatial);
  const Ints depth = row_major_strides(deep);
  const size_t rank = deep.size();
  int64_t all_blocks = 1;
  for (size_t axis = 2; axis < rank; ++axis) all_blocks *= blocks.size;
  const bool blocks_first = blocks.mode == DepthBlocks::Mode::kBlocksFirst;
  DepthBlockAxes axes{{deep[0], spatial[1]},
                      {space[0], space[1]},
                      {depth[0], blocks_first ? depth[1] : depth[1] * all_blocks}};
  int64_t block_stride = (blocks_first ? spatial[1] : 1) * depth[1] * all_blocks;
  for (size_t axis = 2; axis < rank; ++axis) {
    block_stride /= blocks.size;
    axes.shape.push_back(deep[axis]);
    axes.space_strides.push_back(space[axis] * blocks.size);
    axes.depth_strides.push_back(depth[axis]);
    axes.shape.push_back(blocks.size);
    axes.space_strides.push_back(space[axis]);
    axes.depth_strides.push_back(block_stride);
  }
  return axes;
}

}  // namespace wasmvino::ops
