// SPDX-License-Identifier: Apache-2.0
// Small graphs that several families of operators build.
#pragma once

#include "frontends/pnnx/context.h"

namespace wasmvino::pnnx {

// Element types as PyTorch promotes them: for two tensors, and for a tensor and a number.
ElementType promoted(ElementType a, ElementType b);
Source convert(Context& c, const Source& source, ElementType type);
// An operation on numbers of one type. Sums, differences, products and powers of 8-bit integers wrap as in
// PyTorch, unlike those of the operations.
Source apply_wrapping(Context& c, const char* type, const Source& x);
Source apply_wrapping(Context& c, const char* type, const Source& a, const Source& b);
// A binary operation after promoting both operands to a common type.
Source binary(Context& c, const char* type, const Source& a, const Source& b);
// A binary operation with a number. The number has the tensor's type, or f32 if the tensor is integral and
// the number is not.
Source with_number(Context& c, const char* type, const Source& a, double number);
Source with_number(Context& c, const char* type, double number, const Source& b);

// The same with a number that the graph may compute.
Source with_number(Context& c, const char* type, const Source& a, const Scalar& number);
Source with_number(Context& c, const char* type, const Scalar& number, const Source& b);

// A scalar of a type, and of the type of `like`.
Source number_as(Context& c, const Scalar& number, ElementType type);
Source number_like(Context& c, double number, const Source& like);
Source number_like(Context& c, const Scalar& number, const Source& like);
// An operand of a binary operator: input `name`, or the number in the parameter of that name, in the type
// that it has beside `like`.
Source other_operand(Context& c, const char* name, size_t position, const Source& like);

// All sizes of a value as an i64 list. The list is a constant if the sizes are static.
Source shape_of(Context& c, const Source& source);
// The size of one axis as an i64 list of one element.
Source size_of(Context& c, const Source& source, int64_t axis);
// The same as a scalar.
Source length_of(Context& c, const Source& source, int64_t axis);
// 0, step, 2 * step and so on below `end`, a scalar, as an i64 list.
Source range_to(Context& c, const Source& end, int64_t step = 1);
Source concat_lists(Context& c, const std::vector<Source>& lists);
Source reshape(Context& c, const Source& source, const Ints& shape);
// A size of 0 keeps the size of the source.
Source reshape_keeping(Context& c, const Source& source, const Ints& shape);
// Replaces `count` axes, beginning with `first`, by axes of the given sizes. One of the sizes may be -1.
Source reshape_axes(Context& c, const Source& source, size_t first, size_t count, const Ints& sizes);
Source transpose(Context& c, const Source& source, const Ints& order);
Source squeeze(Context& c, const Source& source, int64_t axis);
Source unsqueeze(Context& c, const Source& source, int64_t axis);
Source concat(Context& c, const std::vector<Source>& parts, int64_t axis);
std::vector<Source> split(Context& c, const Source& source, int64_t axis, const Ints& sizes);
// Selects one element of an axis and removes the axis.
Source select(Context& c, const Source& source, int64_t axis, int64_t index);
// Elements begin to end of an axis, by `step`. Both may count from the end.
Source slice(Context& c, const Source& source, int64_t axis, int64_t begin, int64_t end, int64_t step = 1);

// A weight [n] or constant for the channels of an input with `rank` axes: [n, 1, 1 ...].
Source channel_weight(Context& c, const char* name, size_t rank);
// Scale or offset of a normalisation by channel: the weight or input `name`, else `size` times `otherwise`.
Source scale_or(Context& c, const char* name, size_t position, double otherwise, int64_t size,
                const Source& like);

// The input of an operator of images or sequences, with a batch of 1 if it has none: [C, spatial axes...].
// without_batch() removes it from outputs.
Source with_batch(Context& c, const Source& x, size_t spatial);
Source without_batch(Context& c, const Source& x, const Source& output, size_t spatial);

Source reduce(Context& c, const char* type, const Source& source, const Ints& axes, bool keep);
// The axes of a reduction: the parameter `name`; all axes if it is absent or None.
Ints reduced_axes(Context& c, const Source& source, const char* name = "dim");
// The number of elements that a reduction combines, as a scalar of the source's type.
Source reduced_count(Context& c, const Source& source, const Ints& axes);
// Functions of real numbers convert integers and booleans to f32.
Source as_real(Context& c, const Source& x);
// Sums and products of integers and booleans are i64.
Source widened(Context& c, const Source& x);
// In the type that the file declares for output 0 if that is real, for functions that take a type.
Source declared_real(Context& c, const Source& x);
// The same for integers.
Source declared_integer(Context& c, const Source& x);
// max + log(sum(exp(x - max))), which does not overflow for large x. An infinite maximum is the result.
Source log_sum_exp(Context& c, const Source& x, const Ints& axes, bool keep);
// The first k elements along an axis after sorting: values, and i64 indices as output 1.
Source top_k(Context& c, const Source& x, const Source& k, int64_t axis, bool largest, bool sorted);
// A diagonal of two axes: `offset` columns to the right of the main one, or rows below it if it is negative.
struct Diagonal {
  Ints order;       // of the axes, with the two as the last ones
  Source matrices;  // the input in that order
  Source places;    // of the diagonal's elements in a matrix as a list
};
Diagonal find_diagonal(Context& c, const Source& x, const Scalar& offset, int64_t row_axis,
                       int64_t column_axis);
// The matrices of these two axes as lists, on a new last axis.
Source flat_matrices(Context& c, const Diagonal& diagonal);
// The diagonal itself, on a new last axis.
Source diagonal_of(Context& c, const Source& x, const Scalar& offset, int64_t row_axis, int64_t column_axis);
// The p-norm along axes.
Source p_norm(Context& c, const Source& source, double p, const Ints& axes, bool keep);
// start + weight * (end - start), exact at both ends.
Source interpolate(Context& c, const Source& start, const Source& end, const Source& weight);
// log(1 + x) and exp(x) - 1, precise near 0.
Source log1p(Context& c, const Source& x);
Source expm1(Context& c, const Source& x);

// Pads the last axes. As in PyTorch, `pads` starts with begin and end of the last axis, then those of the one
// before.
Source pad(Context& c, Source source, const Ints& pads, const std::string& mode, const Scalar& value);
Source pad_with_zeros(Context& c, const Source& source, const Ints& pads);

}  // namespace wasmvino::pnnx
