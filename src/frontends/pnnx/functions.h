// SPDX-License-Identifier: Apache-2.0
// Small graphs that several families of operators build.
#pragma once

#include "frontends/pnnx/context.h"

namespace wasmvino::pnnx {

// Element types as PyTorch promotes them: of a tensor with a tensor, and of a tensor with a number.
ElementType promoted(ElementType a, ElementType b);
Source convert(Context& c, Source source, ElementType type);
// A binary operation after the promotion of both types.
Source binary(Context& c, std::string_view type, Source a, Source b);
// With a number of the tensor's type, or of f32 where an integer tensor meets a real number.
Source with_number(Context& c, std::string_view type, Source a, double number);
Source with_number(Context& c, std::string_view type, double number, Source b);

// A scalar of the type of `like`.
Source number_like(Context& c, double number, Source like);
// The other operand of a binary operator: input `name`, or the number that the parameter of that name has.
Source other_operand(Context& c, std::string_view name, size_t position, Source like);

// All sizes of a value as an i64 list; a constant where they are static.
Source shape_of(Context& c, Source source);
// The size of one axis as an i64 list of one element.
Source size_of(Context& c, Source source, int64_t axis);
Source concat_lists(Context& c, const std::vector<Source>& lists);
Source reshape(Context& c, Source source, const Ints& shape);
// Sizes of 0 take over those of the source.
Source reshape_keeping(Context& c, Source source, const Ints& shape);
// Replaces `count` axes from `first` on by axes of the given sizes; one of them may be -1.
Source reshape_axes(Context& c, Source source, size_t first, size_t count, const Ints& sizes);
Source transpose(Context& c, Source source, const Ints& order);
Source squeeze(Context& c, Source source, int64_t axis);
Source unsqueeze(Context& c, Source source, int64_t axis);
Source concat(Context& c, const std::vector<Source>& parts, int64_t axis);
std::vector<Source> split(Context& c, Source source, int64_t axis, const Ints& sizes);
// One element of an axis, which is then dropped.
Source select(Context& c, Source source, int64_t axis, int64_t index);
// Elements begin to end of an axis, by `step`. Both may count from the end.
Source slice(Context& c, Source source, int64_t axis, int64_t begin, int64_t end, int64_t step = 1);

// A weight [n] or constant for the channels of an input with `rank` axes: [n, 1, 1 ...].
Source channel_weight(Context& c, std::string_view name, size_t rank);
// Scale and offset of a normalisation by channel: weights or inputs `weight` and `bias`, else ones and zeros.
Source scale_or(Context& c, std::string_view name, size_t position, double otherwise, int64_t size,
                Source like);

Source reduce(Context& c, std::string_view type, Source source, const Ints& axes, bool keep);
// The axes of a reduction: the parameter `dim`, all where it is absent or None.
Ints reduced_axes(Context& c, Source source, std::string_view name = "dim");
// The number of elements that a reduction takes together, as a scalar of the source's type.
Source reduced_count(Context& c, Source source, const Ints& axes);
// The p-norm along axes.
Source p_norm(Context& c, Source source, double p, const Ints& axes, bool keep);

// Pads the last axes; `pads` are begin and end of the last axis, then those of the one before, as in PyTorch.
Source pad(Context& c, Source source, const Ints& pads, const std::string& mode, double value);

}  // namespace wasmvino::pnnx
