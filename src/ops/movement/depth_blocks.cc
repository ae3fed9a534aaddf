// SPDX-License-Identifier: Apache-2.0
#include "ops/movement/depth_blocks.h"

#include <limits>

#include "ops/inputs/inputs.h"

namespace wasmvino::ops {
namespace {

// The size of an axis divided by the block size. Throws Error(kInvalidShape) if it is not divisible.
Dimension divided(const PartialShape& shape, size_t axis, int64_t block_size) {
  const Dimension size = shape[axis];
  if (size.is_static() && size.size() % block_size != 0) {
    throw Error(ErrorCode::kInvalidShape,
                cat("size ", size, " of axis ", axis, " is not a multiple of 'block_size' ", block_size))
        .expected(cat("a multiple of ", block_size))
        .actual(cat(size))
        .port("data");
  }
  return {size.min / block_size + (size.min % block_size != 0),
          size.max == Dimension::kUnbounded ? size.max : size.max / block_size};
}

}  // namespace

void DepthBlocksOp::visit_attributes(AttributeVisitor& visitor) {
  visitor.on("block_size", block_size_);
  visitor.require("mode");
  visitor.on_enum("mode", mode_, {"blocks_first", "depth_first"});
}

void DepthBlocksOp::infer(InferContext& context) const {
  context.expect_inputs(1);
  if (block_size_ < 1)
    fail(ErrorCode::kInvalidModel, "attribute 'block_size' is ", block_size_, ", expected 1 or more");
  expect_rank(context, 0, 3, std::numeric_limits<size_t>::max(), "data");
  PartialShape shape = context.input_shape(0);
  const Dimension block = block_size_;
  for (size_t axis = 2; shape.has_rank() && axis < shape.rank(); ++axis) {
    shape[1] = to_space_ ? divided(shape, 1, block_size_) : shape[1] * block;
    shape[axis] = to_space_ ? shape[axis] * block : divided(shape, axis, block_size_);
  }
  context.set_output(0, context.input_type(0), shape);
}

// The copy runs over the axes N, C, D1, B1, D2, B2, ... with their strides in both arrays.
StridedCopy DepthBlocksOp::plan(const CompileContext& context) const {
  const Shape from = context.input_shape(0), to = context.output_shape(0);
  const Shape &spatial = to_space_ ? to : from, &deep = to_space_ ? from : to;
  const Ints space = row_major_strides(spatial), depth = row_major_strides(deep);
  const size_t rank = deep.size();
  int64_t all_blocks = 1;
  for (size_t axis = 2; axis < rank; ++axis) all_blocks *= block_size_;
  const bool blocks_first = mode_ == Mode::kBlocksFirst;
  Shape shape = {deep[0], spatial[1]};
  Ints space_strides = {space[0], space[1]};
  Ints depth_strides = {depth[0], blocks_first ? depth[1] : depth[1] * all_blocks};
  int64_t block_stride = (blocks_first ? spatial[1] : 1) * depth[1] * all_blocks;
  for (size_t axis = 2; axis < rank; ++axis) {
    block_stride /= block_size_;
    shape.push_back(deep[axis]);
    space_strides.push_back(space[axis] * block_size_);
    depth_strides.push_back(depth[axis]);
    shape.push_back(block_size_);
    space_strides.push_back(space[axis]);
    depth_strides.push_back(block_stride);
  }
  return StridedCopy(context.output_type(0), shape, to_space_ ? depth_strides : space_strides,
                     to_space_ ? space_strides : depth_strides);
}

}  // namespace wasmvino::ops
