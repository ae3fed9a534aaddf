// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/compressed_cache.h"

#include <algorithm>

namespace wasmvino::ops {

namespace {

// `shape` with of(precision, width) for the last axis, as far as its bounds are known.
template <typename Width>
PartialShape with_width(PartialShape shape, VariablePrecision precision, const Width& of) {
  if (!shape.has_rank()) return shape;
  Dimension& width = shape[shape.rank() - 1];
  width.min = std::max<int64_t>(of(precision, width.min), 0);
  if (width.max != Dimension::kUnbounded) width.max = std::max<int64_t>(of(precision, width.max), 0);
  return shape;
}

}  // namespace

PartialShape compressed_shape(VariablePrecision precision, PartialShape shape) {
  return with_width(std::move(shape), precision, compressed_width);
}

PartialShape expanded_shape(VariablePrecision precision, PartialShape shape) {
  return with_width(std::move(shape), precision, expanded_width);
}

void CompressCache::infer(InferContext& context) const {
  context.set_output(0, compressed_type(precision_), compressed_shape(precision_, context.input_shape(0)));
}

void CompressCache::evaluate(EvalContext& context) const {
  compress_rows(precision_, context.input(0), context.output(0), context.parallel());
}

void ExpandCache::infer(InferContext& context) const {
  context.set_output(0, ElementType::kF32, expanded_shape(precision_, context.input_shape(0)));
}

void ExpandCache::evaluate(EvalContext& context) const {
  expand_rows(precision_, context.input(0), context.output(0), context.parallel());
}

}  // namespace wasmvino::ops
