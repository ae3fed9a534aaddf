// SPDX-License-Identifier: Apache-2.0
#include "ops/movement/slice_axes.h"

#include "ops/inputs/axes.h"
#include "ops/inputs/inputs.h"
#include "ops/movement/slices.h"

namespace wasmvino::ops {
namespace {

constexpr std::string_view kSliceInputs[] = {"start", "stop", "step", "axes"};

Ints leading_axes(size_t count) {
  Ints axes;
  for (size_t axis = 0; axis < count; ++axis) axes.push_back(static_cast<int64_t>(axis));
  return axes;
}

}  // namespace

PartialShape infer_slice_axes(InferContext& context, size_t first) {
  const bool has_axes = context.input_count() > first + 3;
  std::optional<Ints> values[4];
  std::optional<size_t> length;
  for (size_t i = 0; i < (has_axes ? 4u : 3u); ++i) {
    expect_rank(context, first + i, 1, 1, kSliceInputs[i]);
    values[i] = known_ints(context, first + i, kSliceInputs[i]);
    const std::optional<size_t> own = length_of(context, first + i);
    if (own && length && *own != *length) {
      fail(ErrorCode::kInvalidShape, kSliceInputs[i], " has ", *own, " elements, but start has ", *length);
    }
    if (own) length = own;
  }
  if (values[2]) {
    for (const int64_t step : *values[2]) {
      if (step == 0) fail(ErrorCode::kInvalidValue, "step ", to_string(*values[2]), " contains 0");
    }
  }
  PartialShape shape = context.input_shape(0);
  if (!shape.has_rank()) return shape;
  if (shape.rank() == 0) fail(ErrorCode::kInvalidShape, "data is a scalar, expected rank 1 or more");
  if (length && *length > shape.rank()) {
    fail(ErrorCode::kInvalidShape, "start has ", *length, " elements, but data has shape ", shape);
  }
  std::optional<Ints> axes = has_axes ? values[3]
                             : length ? std::optional(leading_axes(*length))
                                      : std::nullopt;
  if (!axes) return PartialShape::of_rank(shape.rank());
  axes = normalize_axes(*axes, shape.rank(), "axes");
  Ints seen(shape.rank());
  for (size_t i = 0; i < axes->size(); ++i) {
    const size_t axis = static_cast<size_t>((*axes)[i]);
    if (seen[axis]++ != 0) fail(ErrorCode::kInvalidValue, "axes contain axis ", axis, " twice");
    if (values[0] && values[1] && values[2]) {
      shape[axis] = slice_size((*values[0])[i], (*values[1])[i], (*values[2])[i], shape[axis]);
    } else {
      shape[axis] = {0, shape[axis].max};
    }
  }
  return shape;
}

SliceAxes slice_axes(const CompileContext& context, size_t first) {
  const Shape shape = context.input_shape(0);
  const Ints start = *context.constant_ints(first);
  const Ints stop = *context.constant_ints(first + 1);
  const Ints step = *context.constant_ints(first + 2);
  const Ints axes = context.input_count() > first + 3
                        ? normalize_axes(*context.constant_ints(first + 3), shape.size(), "axes")
                        : leading_axes(start.size());
  SliceAxes slices{row_major_strides(shape), 0};
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t axis = static_cast<size_t>(axes[i]);
    const SliceRange range = slice_range(start[i], stop[i], step[i], shape[axis]);
    slices.offset += range.begin * slices.strides[axis];
    // A step longer than the axis leaves one element, whose stride is not used.
    slices.strides[axis] = range.count > 1 ? slices.strides[axis] * step[i] : 0;
  }
  return slices;
}

}  // namespace wasmvino::ops
