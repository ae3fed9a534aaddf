// SPDX-License-Identifier: Apache-2.0
// Broadcasting: the rules of auto_broadcast, and the loops over the result.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/broadcast-rules.html
#pragma once

#include <array>
#include <span>

#include "model/op.h"

namespace wasmvino::ops {

enum class AutoBroadcast {
  kNone,   // the shapes are equal
  kNumpy,  // aligned at the last axis; both operands may be repeated
  kPdpd,   // the second operand is aligned at the first axis; only it may be repeated
};

// Reads the attribute "auto_broadcast".
void visit_auto_broadcast(AttributeVisitor& visitor, AutoBroadcast& rule);

// The shape of the result of `a` and `b`. Throws Error(kInvalidShape), naming both shapes.
PartialShape broadcast_shapes(AutoBroadcast rule, const PartialShape& a, const PartialShape& b);

// `shape` with as many axes as the result: sizes of 1 are inserted before (numpy) or after (pdpd) the others.
Shape align_shape(AutoBroadcast rule, const Shape& shape, size_t rank);

inline constexpr size_t kMaxOperands = 5;

// The loops over a row-major result and the operands broadcast to it, with as few axes as possible. Axes of
// size 1 are removed. Adjacent axes are merged if every operand either steps through both or repeats along
// both.
struct LoopNest {
  Ints sizes;  // outermost first; never empty
  std::array<Ints, kMaxOperands>
      // Per operand and axis, in elements; 0: repeated. The last is 0 or 1.
      strides;
};

// The shape of each operand must have the rank of the result; each size must be the result's or 1.
LoopNest make_loop_nest(const Shape& result, std::span<const Shape> operands);

}  // namespace wasmvino::ops
