// SPDX-License-Identifier: Apache-2.0
#include "ops/common/axes.h"

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

size_t product(const Shape& shape, size_t first, size_t last) {
  return element_count(Shape(shape.begin() + first, shape.begin() + last));
}

}  // namespace wasmvino::ops
