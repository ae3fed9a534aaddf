// SPDX-License-Identifier: Apache-2.0
#include "ops/movement/slices.h"

#include <algorithm>
#include <limits>

namespace wasmvino::ops {
namespace {

// The number of elements in [from, to), `step` apart, for 0 <= from, to and step >= 1.
int64_t slice_steps(int64_t from, int64_t to, uint64_t step) {
  return to <= from ? 0 : static_cast<int64_t>((static_cast<uint64_t>(to - from) - 1) / step + 1);
}

uint64_t step_magnitude(int64_t step) {
  // The smallest integer cannot be negated.
  return step > 0 ? static_cast<uint64_t>(step) : uint64_t{0} - static_cast<uint64_t>(step);
}

}  // namespace

SliceRange slice_range(int64_t start, int64_t stop, int64_t step, int64_t size) {
  if (size == 0) return {};
  if (start < 0) start += size;
  if (stop < 0) stop += size;
  if (step > 0) {
    start = std::clamp<int64_t>(start, 0, size);
    return {start, slice_steps(start, std::clamp<int64_t>(stop, 0, size), step_magnitude(step))};
  }
  start = std::clamp<int64_t>(start, 0, size - 1);
  stop = std::clamp<int64_t>(stop, -1, size - 1);
  return {start, slice_steps(stop, start, step_magnitude(step))};
}

Dimension slice_size(int64_t start, int64_t stop, int64_t step, Dimension size) {
  if (size.is_static()) return slice_range(start, stop, step, size.size()).count;
  // IRs use the limits of i32 and of i64 for "to the end of the axis".
  constexpr int64_t kFar = std::numeric_limits<int32_t>::max();
  const auto widen = [](int64_t& end) {
    if (end >= kFar) end = std::numeric_limits<int64_t>::max();
    if (end <= -kFar) end = std::numeric_limits<int64_t>::min();
    return end >= kFar || end <= -kFar;
  };
  widen(start);
  const bool whole = widen(stop);
  // A longer axis never gives fewer elements if both ends count from the same side, or if the slice's upper
  // end counts from the end of the axis.
  if (whole || (start < 0) == (stop < 0) || (step > 0 ? stop < 0 : start < 0)) {
    const int64_t high = slice_range(start, stop, step, size.max).count;
    return {slice_range(start, stop, step, size.min).count, high >= kFar ? Dimension::kUnbounded : high};
  }
  if (size.max == Dimension::kUnbounded) return {};
  return {0, slice_steps(0, size.max, step_magnitude(step))};
}

std::optional<model::Source> whole_input(const model::Node& node, size_t step) {
  const PartialShape& data = model::shape_of(node.inputs[0]);
  if (!data.is_static() || !(data == node.outputs[0].shape)) return std::nullopt;
  if (step < node.inputs.size()) {
    const std::optional<Ints> steps = model::constant_ints(node.inputs[step]);
    // A negative step reverses the axis.
    if (!steps || std::any_of(steps->begin(), steps->end(), [](int64_t s) { return s < 0; }))
      return std::nullopt;
  }
  return node.inputs[0];
}

}  // namespace wasmvino::ops
