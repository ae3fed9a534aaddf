// SPDX-License-Identifier: Apache-2.0
#include "ops/inputs/axes.h"

namespace wasmvino::ops {

size_t normalize_axis(int64_t axis, size_t rank, std::string_view what) {
  const int64_t signed_rank = static_cast<int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank) {
    throw Error(ErrorCode::kInvalidValue, cat(what, " is ", axis, ", outside ", -signed_rank, "..",
                                              signed_rank - 1, " for rank ", rank))
        .expected(cat(-signed_rank, "..", signed_rank - 1))
        .actual(cat(axis));
  }
  return static_cast<size_t>(axis < 0 ? axis + signed_rank : axis);
}

Ints normalize_axes(const Ints& axes, size_t rank, std::string_view what) {
  Ints result = axes;
  for (int64_t& axis : result) axis = static_cast<int64_t>(normalize_axis(axis, rank, what));
  return result;
}

std::optional<AxisRange> adjacent_axes(const Ints& axes, size_t rank) {
  SmallVector<char, 6> reduced(rank);
  for (const int64_t axis : axes) {
    const int64_t from_start = axis < 0 ? axis + static_cast<int64_t>(rank) : axis;
    if (from_start < 0 || from_start >= static_cast<int64_t>(rank)) return std::nullopt;
    reduced[static_cast<size_t>(from_start)] = 1;
  }
  size_t begin = 0, count = 0;
  for (size_t axis = rank; axis-- > 0;) {
    if (!reduced[axis]) continue;
    begin = axis;
    ++count;
  }
  for (size_t i = 0; i < count; ++i) {
    if (begin + i >= rank || !reduced[begin + i]) return std::nullopt;
  }
  if (count == 0) return std::nullopt;
  return AxisRange{begin, begin + count};
}

}  // namespace wasmvino::ops
