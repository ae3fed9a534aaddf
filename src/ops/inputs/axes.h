// SPDX-License-Identifier: Apache-2.0
// Normalises axes: negative ones count from the end.
#pragma once

#include <optional>
#include <string_view>

#include "core/error.h"
#include "core/shape.h"

namespace wasmvino::ops {

// `axis` as 0..rank-1. Throws Error(kInvalidValue), naming `what`, the axis and the rank.
size_t normalize_axis(int64_t axis, size_t rank, std::string_view what = "axis");
// All of `axes` as 0..rank-1, in their order.
Ints normalize_axes(const Ints& axes, size_t rank, std::string_view what = "axes");

// The axes [begin, end).
struct AxisRange {
  size_t begin, end;
};
// `axes` as such a range. nullopt if there are none, if one is not an axis, or if they are not adjacent.
std::optional<AxisRange> adjacent_axes(const Ints& axes, size_t rank);

}  // namespace wasmvino::ops
