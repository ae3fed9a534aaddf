// SPDX-License-Identifier: Apache-2.0
#include "ops/shape/reshape.h"

#include "model/registry.h"

namespace wasmvino::ops::reshape {

void Reshape::infer(InferContext& context) const {
  context.expect_inputs(2);
  const auto pattern = context.input_ints(1);
  if (!pattern) {
    const PartialShape& length = context.input_shape(1);
    const bool ranked = length.is_static() && length.rank() <= 1;
    context.set_output(0, context.input_type(0),
                       ranked ? PartialShape::of_rank(element_count(length.to_shape())) : PartialShape());
    return;
  }
  context.set_output(0, context.input_type(0), output_shape(context.input_shape(0), *pattern));
}

std::optional<Source> Reshape::simplify(const Node& node, Model&) const {
  const PartialShape& data = shape_of(node.inputs[0]);
  const bool same = data.is_static() && data == node.outputs[0].shape;
  return same ? std::optional(node.inputs[0]) : std::nullopt;
}

PartialShape Reshape::output_shape(const PartialShape& input, const Ints& pattern) const {
  PartialShape output = PartialShape::of_rank(0);
  std::optional<size_t> open;  // index of -1 in the pattern
  Dimension known = 1;         // product of the other output sizes
  for (size_t axis = 0; axis < pattern.size(); ++axis) {
    Dimension size = pattern[axis];
    if (pattern[axis] == -1) {
      if (open) fail(ErrorCode::kInvalidValue, "the pattern ", to_string(pattern), " contains -1 twice");
      open = axis;
      output.push_back(Dimension());
      continue;
    }
    if (pattern[axis] < -1)
      fail(ErrorCode::kInvalidValue, "the pattern ", to_string(pattern), " has a size below -1");
    if (pattern[axis] == 0 && attributes_.special_zero) {
      if (input.has_rank() && axis >= input.rank()) {
        fail(ErrorCode::kInvalidShape, "the pattern ", to_string(pattern), " copies axis ", axis,
             " of shape ", input);
      }
      size = input.has_rank() ? input[axis] : Dimension();
    }
    output.push_back(size);
    known = known * size;
  }
  if (!input.is_static()) {
    if (open && input.has_rank()) output[*open] = remaining(input, pattern, *open);
    return output;
  }
  const int64_t count = static_cast<int64_t>(element_count(input.to_shape()));
  const int64_t rest = known.size();
  if (open && rest != 0) {
    if (count % rest != 0) refuse(input, pattern);
    output[*open] = count / rest;
  } else if (open) {
    if (count != 0) refuse(input, pattern);
    // Copied axes count on neither side, so an empty one leaves the size of the others.
    output[*open] = attributes_.special_zero ? remaining(input, pattern, *open) : Dimension(0);
    if (!output[*open].is_static()) refuse(input, pattern);
  } else if (rest != count) {
    refuse(input, pattern);
  }
  return output;
}

Dimension Reshape::remaining(const PartialShape& input, const Ints& pattern, size_t open) const {
  int64_t left = 1;
  for (size_t axis = 0; axis < input.rank(); ++axis) {
    const bool copied = attributes_.special_zero && axis < pattern.size() && pattern[axis] == 0;
    if (copied) continue;
    if (!input[axis].is_static()) return {};
    left *= input[axis].size();
  }
  for (size_t axis = 0; axis < pattern.size(); ++axis) {
    if (axis == open || (attributes_.special_zero && pattern[axis] == 0)) continue;
    if (pattern[axis] == 0 || left % pattern[axis] != 0) return {};
    left /= pattern[axis];
  }
  return left;
}

void Reshape::refuse(const PartialShape& input, const Ints& pattern) {
  throw Error(ErrorCode::kInvalidShape, cat("shape ", input, " cannot be reshaped to ", to_string(pattern)))
      .expected(cat(element_count(input.to_shape()), " elements"))
      .actual(to_string(pattern));
}

}  // namespace wasmvino::ops::reshape

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(reshape) {
  registry.add<reshape::Reshape>(
      {"Reshape", {1}, "shape/reshape-1", {{"data", kAllTypes}, {"shape", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
