// SPDX-License-Identifier: Apache-2.0
// More checks of inputs: sizes and axes.
#pragma once

#include <optional>
#include <string_view>

#include "ops/inputs/inputs.h"

namespace wasmvino::ops {

// Throws Error(kInvalidShape) unless axis `axis` of input `i` is compatible with `size`, the size of `source`
// ("axis 1 of data"). Returns the dimension that is compatible with both.
Dimension expect_size(const InferContext& context, size_t i, std::string_view name, size_t axis,
                      Dimension size, std::string_view source);
// The axes in input `i`, a scalar or 1-D tensor, as 0..rank-1; nullopt while its value or the rank of `shape`
// is unknown. The plan becomes specific to the input's value.
std::optional<Ints> known_axes(InferContext& context, size_t i, const PartialShape& shape);

}  // namespace wasmvino::ops
