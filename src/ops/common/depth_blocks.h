// SPDX-License-Identifier: Apache-2.0
// The geometry that DepthToSpace and SpaceToDepth share: a "deep" array [N, C * B^K, D1 .. DK] and a
// "spatial" one [N, C, D1 * B .. DK * B].
#pragma once

#include "model/op.h"

namespace wasmvino::ops {

struct DepthBlocks {
  enum class Mode { kBlocksFirst, kDepthFirst };
  int64_t size = 1;  // B
  Mode mode = Mode::kBlocksFirst;
};

void visit_depth_blocks(AttributeVisitor& visitor, DepthBlocks& blocks);

// Checks the attributes and the rank of input 0.
void expect_depth_blocks(const InferContext& context, const DepthBlocks& blocks);

// The size of an axis over the block size. Throws Error(kInvalidShape) where it does not divide.
Dimension divided(const PartialShape& shape, size_t axis, int64_t block_size);

// The axes N, C, D1, B1, D2, B2, ... with their strides in both arrays.
struct DepthBlockAxes {
  Shape shape;
  Ints space_strides, depth_strides;
};
DepthBlockAxes depth_block_axes(const Shape& spatial, const Shape& deep, const DepthBlocks& blocks);

}  // namespace wasmvino::ops
