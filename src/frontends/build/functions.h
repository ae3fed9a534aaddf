// SPDX-License-Identifier: Apache-2.0
// Small graphs that front ends build from OpenVINO's operations.
#pragma once

#include <vector>

#include "model/builder.h"

namespace wasmvino::frontends::build {

using model::Builder;
using model::Source;

// The value in another element type.
Source convert(Builder& b, const Source& source, ElementType type);
// A scalar of the type of `like`.
Source number_like(Builder& b, double number, const Source& like);

// All sizes of a value as an i64 list, which is a constant if the sizes are static.
Source shape_of(Builder& b, const Source& source);
// The size of one axis, counted from the front, as an i64 list of one element.
Source size_of(Builder& b, const Source& source, int64_t axis);
// 0, step, 2 * step and so on below `end`, a scalar, as an i64 list.
Source range_to(Builder& b, const Source& end, int64_t step = 1);
// i64 lists, one after the other.
Source concat_lists(Builder& b, const std::vector<Source>& lists);

Source reshape(Builder& b, const Source& source, const Source& shape);
Source reshape(Builder& b, const Source& source, const Ints& shape);
// A size of 0 keeps the size of the source.
Source reshape_keeping(Builder& b, const Source& source, const Ints& shape);
Source transpose(Builder& b, const Source& source, const Ints& order);
Source squeeze(Builder& b, const Source& source, const Ints& axes);
Source unsqueeze(Builder& b, const Source& source, const Ints& axes);
Source concat(Builder& b, const std::vector<Source>& parts, int64_t axis);
std::vector<Source> split(Builder& b, const Source& source, int64_t axis, const Ints& sizes);
// One element of an axis, which disappears.
Source select(Builder& b, const Source& source, int64_t axis, int64_t index);
// Elements begin to end of an axis. Both may count from the end.
Source slice(Builder& b, const Source& source, int64_t axis, int64_t begin, int64_t end, int64_t step = 1);
// `number` in the type of `like`, in the shape that an i64 list holds.
Source filled(Builder& b, double number, const Source& shape, const Source& like);

Source reduce(Builder& b, const char* type, const Source& source, const Ints& axes, bool keep);
// max + log(sum(exp(x - max))), which does not overflow for large x. `axes` is an i64 list.
Source log_sum_exp(Builder& b, const Source& x, const Source& axes, bool keep);

}  // namespace wasmvino::frontends::build
