// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise/broadcast.h"

namespace wasmvino::ops {
namespace {

[[noreturn]] void refuse(std::string_view rule, const PartialShape& a, const PartialShape& b) {
  throw Error(ErrorCode::kInvalidShape,
              cat("shapes ", a, " and ", b, " cannot be broadcast (auto_broadcast ", rule, ")"))
      .expected(cat(a))
      .actual(cat(b));
}

// Only `b` is repeated: none of its sizes may exceed the aligned size of `a`.
PartialShape broadcast_pdpd(const PartialShape& a, const PartialShape& b) {
  if (!a.has_rank()) return {};
  if (!b.has_rank()) return a;
  if (b.rank() > a.rank()) refuse("pdpd", a, b);
  PartialShape result = a;
  for (size_t axis = 0; axis < b.rank(); ++axis) {
    const auto size = broadcast(a[axis], b[axis]);
    if (!size || !size->compatible(a[axis])) refuse("pdpd", a, b);
    if (!a[axis].is_static()) result[axis] = *size;
  }
  return result;
}

}  // namespace

void visit_auto_broadcast(AttributeVisitor& visitor, AutoBroadcast& rule) {
  int word = static_cast<int>(rule);
  visitor.on_choice("auto_broadcast", word, {"none", "numpy", "pdpd", "explicit"});
  rule = word == 3 ? AutoBroadcast::kNone : static_cast<AutoBroadcast>(word);
}

PartialShape broadcast_shapes(AutoBroadcast rule, const PartialShape& a, const PartialShape& b) {
  switch (rule) {
    case AutoBroadcast::kNone: {
      auto merged = a.merge(b);
      if (!merged) refuse("none", a, b);
      return *merged;
    }
    case AutoBroadcast::kNumpy: {
      auto result = broadcast(a, b);
      if (!result) refuse("numpy", a, b);
      return *result;
    }
    case AutoBroadcast::kPdpd:
      return broadcast_pdpd(a, b);
  }
  return {};
}

Shape align_shape(AutoBroadcast rule, const Shape& shape, size_t rank) {
  Shape aligned(rank, 1);
  const size_t first = rule == AutoBroadcast::kPdpd ? 0 : rank - shape.size();
  std::copy(shape.begin(), shape.end(), aligned.begin() + first);
  return aligned;
}

LoopNest make_loop_nest(const Shape& result, std::span<const Shape> operands) {
  LoopNest nest;
  Ints strides[kMaxOperands];
  for (size_t i = 0; i < operands.size(); ++i) strides[i] = row_major_strides(operands[i]);
  for (size_t axis = 0; axis < result.size(); ++axis) {
    if (result[axis] == 1) continue;
    bool joins = !nest.sizes.empty();
    for (size_t i = 0; i < operands.size(); ++i) {
      if (operands[i][axis] == 1) strides[i][axis] = 0;
      joins = joins && nest.strides[i].back() == strides[i][axis] * result[axis];
    }
    if (joins) {
      nest.sizes.back() *= result[axis];
    } else {
      nest.sizes.push_back(result[axis]);
    }
    for (size_t i = 0; i < operands.size(); ++i) {
      if (joins) {
        nest.strides[i].back() = strides[i][axis];
      } else {
        nest.strides[i].push_back(strides[i][axis]);
      }
    }
  }
  if (nest.sizes.empty()) {
    nest.sizes.push_back(1);
    for (size_t i = 0; i < operands.size(); ++i) nest.strides[i].push_back(0);
  }
  return nest;
}

}  // namespace wasmvino::ops
