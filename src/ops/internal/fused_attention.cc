// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/fused_attention.h"

#include <vector>

#include "model/node.h"
#include "ops/internal/compressed_cache.h"

namespace wasmvino::ops {
namespace {

PartialShape transposed(const PartialShape& shape, const Ints& order) {
  if (order.empty() || !shape.has_rank()) return shape;
  PartialShape result = PartialShape::of_rank(0);
  for (const int64_t axis : order) result.push_back(shape[static_cast<size_t>(axis)]);
  return result;
}

// The shape after repeating each head `repeats` times.
PartialShape repeated(PartialShape shape, size_t repeats) {
  if (repeats == 1 || !shape.has_rank() || shape.rank() < 3) return shape;
  Dimension& heads = shape[shape.rank() - 3];
  heads = heads * Dimension(static_cast<int64_t>(repeats));
  return shape;
}

// What the value is once it is expanded.
void expand(ValueInfo& value, VariablePrecision precision) {
  if (precision == VariablePrecision::kF32) return;
  value.type = ElementType::kF32;
  value.shape = expanded_shape(precision, value.shape);
}

}  // namespace

void FusedAttention::infer(InferContext& context) const {
  const Node& node = context.node();
  try {
    context.expect_inputs(3, 6);
    std::vector<ValueInfo> inputs;
    std::vector<const ValueInfo*> pointers;
    for (size_t i = 0; i < context.input_count(); ++i) inputs.push_back(context.input(i));
    expand(inputs[1], orders_.key_precision);
    expand(inputs[2], orders_.value_precision);
    inputs[0].shape = transposed(inputs[0].shape, orders_.query);
    inputs[1].shape = repeated(transposed(inputs[1].shape, orders_.key), orders_.key_repeats);
    inputs[2].shape = repeated(transposed(inputs[2].shape, orders_.value), orders_.value_repeats);
    for (const ValueInfo& input : inputs) pointers.push_back(&input);
    ValueInfo output;
    InferContext inner(node, pointers, {&output, 1});
    infer_attention(inner, causal_);
    context.set_output(0, output.type, transposed(output.shape, orders_.output));
  } catch (Error& error) {
    error.at_layer(node.name, "ScaledDotProductAttention", node.id, 13, node.line);
    throw;
  }
}

}  // namespace wasmvino::ops
