// SPDX-License-Identifier: Apache-2.0
#include "ops/inputs/checks.h"

#include "ops/inputs/axes.h"

namespace wasmvino::ops {
Dimension expect_size(const InferContext& context, size_t i, std::string_view name, size_t axis,
                      Dimension size, std::string_view source) {
  const PartialShape& shape = context.input_shape(i);
  if (!shape.has_rank()) return size;
  if (const auto merged = shape[axis].merge(size)) return *merged;
  throw Error(ErrorCode::kInvalidShape,
              cat("axis ", axis, " of ", name, " ", shape, " is ", shape[axis], ", ", source, " is ", size))
      .port(std::string(name))
      .expected(to_string(size))
      .actual(to_string(shape[axis]));
}

std::optional<Ints> known_axes(InferContext& context, size_t i, const PartialShape& shape) {
  const auto axes = known_ints(context, i, "axes");
  if (!axes || !shape.has_rank()) return std::nullopt;
  return normalize_axes(*axes, shape.rank());
}

}  // namespace wasmvino::ops
