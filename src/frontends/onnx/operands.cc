// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/operands.h"

namespace wasmvino::onnx {

using namespace frontends::build;  // NOLINT: builder functions are written in terms of these throughout

Source legacy_operand(Context& c) {
  const Source a = c.input(0), b = c.input(1);
  if (!c.flag("broadcast") || !c.has("axis")) return b;
  const size_t rank = c.b().rank(a), own = c.b().rank(b);
  const int64_t first = c.axis(c.integer("axis"), rank);
  if (static_cast<size_t>(first) + own > rank) {
    fail(ErrorCode::kInvalidModel, "broadcasts ", c.b().shape(b), " to ", c.b().shape(a), " at axis ", first);
  }
  Ints added;
  for (size_t i = static_cast<size_t>(first) + own; i < rank; ++i)
    added.push_back(static_cast<int64_t>(i) - first);
  return added.empty() ? b : unsqueeze(c.b(), b, added);
}

Source all_axes(Context& c, const Source& x) {
  if (c.b().shape(x).has_rank()) return c.b().list(axes_from(c, x, 0));
  const Source rank = c.b().add("ShapeOf", {c.b().add("ShapeOf", {x})});
  return range_to(c.b(), squeeze(c.b(), rank, {0}));
}

Ints axes_from(Context& c, const Source& x, int64_t first) {
  Ints axes;
  for (int64_t i = first; i < static_cast<int64_t>(c.b().rank(x)); ++i) axes.push_back(i);
  return axes;
}

Source index_scalar(Context& c, const Source& x) {
  const Source index = convert(c.b(), x, ElementType::kI64);
  const PartialShape& shape = c.b().shape(index);
  return shape.has_rank() && shape.rank() == 0 ? index : reshape(c.b(), index, Ints());
}

Source for_channels(Context& c, const Source& list, size_t rank) {
  if (rank <= 2) return list;
  Ints added;
  for (size_t i = 2; i < rank; ++i) added.push_back(static_cast<int64_t>(i) - 1);
  return unsqueeze(c.b(), list, added);
}

void unary(Context& c) { c.give(c.b().add(c.operation(), std::vector{c.input()})); }
void binary(Context& c) { c.give(c.b().add(c.operation(), std::vector{c.input(0), c.input(1)})); }
void legacy_binary(Context& c) {
  c.give(c.b().add(c.operation(), std::vector{c.input(0), legacy_operand(c)}));
}

}  // namespace wasmvino::onnx
