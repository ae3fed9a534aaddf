// SPDX-License-Identifier: Apache-2.0
// How operands of different shapes are brought together: the rules of auto_broadcast, and the loops over the
// result. https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/broadcast-rules.html
#pragma once

#include <array>
#include <span>

#include "model/op.h"

namespace wasmvino::ops {

enum class AutoBroadcast {
  kNone,   // the shapes are equal
  kNumpy,  // aligned at the last axis, both ways
  kPdpd,   // the second is aligned at the first axis and only it is repeated
};

// Reads the attribute "auto_broadcast".
void visit_auto_broadcast(AttributeVisitor& visitor, AutoBroadcast& rule);

// The shape of the result of `a` and `b`. Throws Error(kInvalidShape) naming both shapes.
PartialShape broadcast_shapes(AutoBroadcast rule, const PartialShape& a, const PartialShape& b);

// `shape` with as many axes as the result has: ones stand in front (numpy) or behind (pdpd).
Shape align_shape(AutoBroadcast rule, const Shape& shape, size_t rank);

inline constexpr size_t kMaxOperands = 5;

// The loops over a row-major result and the operands that are broadcast to it, with as few axes as possible:
// axes of size 1 are gone, and neighbouring axes that every operand walks through (or repeats) alike are one.
struct LoopNest {
  Ints sizes;  // outermost first; never empty
  std::array<Ints, kMaxOperands>
      strides;  // per operand and axis, in elements; 0: repeated. The last is 0 or 1.
};

// Each operand's shape has the rank of the result; its sizes are the result's or 1.
LoopNest make_loop_nest(const Shape& result, std::span<const Shape> operands);

}  // namespace wasmvino::ops
