// SPDX-License-Identifier: Apache-2.0
#include "ops/inputs/inputs.h"

namespace wasmvino::ops {

void expect_rank(const InferContext& context, size_t i, size_t first, size_t last, std::string_view what) {
  const PartialShape& shape = context.input_shape(i);
  if (!shape.has_rank() || (shape.rank() >= first && shape.rank() <= last)) return;
  const std::string wanted = first == last                     ? cat("rank ", first)
                             : last == static_cast<size_t>(-1) ? cat("rank ", first, " or more")
                                                               : cat("rank ", first, " to ", last);
  throw Error(ErrorCode::kInvalidShape, cat(what, " has shape ", shape, ", expected ", wanted))
      .expected(wanted)
      .actual(cat(shape))
      .port(cat(what));
}

std::optional<Ints> known_ints(InferContext& context, size_t i, std::string_view what) {
  expect_rank(context, i, 0, 1, what);
  return context.input_ints(i);
}

std::optional<int64_t> known_int(InferContext& context, size_t i, std::string_view what) {
  expect_single(context, i, what);
  const std::optional<Ints> values = context.input_ints(i);
  if (!values) return std::nullopt;
  return values->front();
}

std::optional<size_t> length_of(const InferContext& context, size_t i) {
  const PartialShape& shape = context.input_shape(i);
  if (!shape.is_static()) return std::nullopt;
  return element_count(shape.to_shape());
}

void expect_length(const Ints& values, size_t length, std::string_view what) {
  if (values.size() == length) return;
  throw Error(ErrorCode::kInvalidValue,
              cat(what, " is ", to_string(values), " with ", values.size(), " elements, expected ", length))
      .expected(cat(length, " elements"))
      .actual(to_string(values))
      .port(cat(what));
}

void expect_single(const InferContext& context, size_t i, std::string_view what) {
  const std::optional<size_t> length = length_of(context, i);
  if (!length || *length == 1) return;
  throw Error(ErrorCode::kInvalidShape,
              cat(what, " has shape ", context.input_shape(i), ", expected a scalar or one element"))
      .expected("a scalar or one element")
      .actual(cat(context.input_shape(i)))
      .port(cat(what));
}

}  // namespace wasmvino::ops
