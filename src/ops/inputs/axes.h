// SPDX-License-Identifier: Apache-2.0
// Normalises axes: negative ones count from the end.
#pragma once

#include <string_view>

#include "core/error.h"
#include "core/shape.h"

namespace wasmvino::ops {

// `axis` as 0..rank-1. Throws Error(kInvalidValue), naming `what`, the axis and the rank.
size_t normalize_axis(int64_t axis, size_t rank, std::string_view what = "axis");
// All of `axes` as 0..rank-1, in their order.
Ints normalize_axes(const Ints& axes, size_t rank, std::string_view what = "axes");

}  // namespace wasmvino::ops
