// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/compressed_cache.h"

namespace wasmvino::ops {

PartialShape compressed_shape(VariablePrecision precision, PartialShape shape) {
  if (shape.has_rank()) shape[shape.rank() - 1] = shape[shape.rank() - 1] + compressed_width(precision, 0);
  return shape;
}

PartialShape expanded_shape(VariablePrecision precision, PartialShape shape) {
  if (shape.has_rank()) shape[shape.rank() - 1] = shape[shape.rank() - 1] - compressed_width(precision, 0);
  return shape;
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
