// SPDX-License-Identifier: Apache-2.0
// More checks of inputs: sizes, axes.
#pragma once

#include <optional>
#include <string_view>

#include "ops/inputs/inputs.h"

namespace wasmvino::ops {

// Throws Error(kInvalidShape) unless axis `axis` of input `i` fits `size`, which is that of `source` ("axis 1
// of data"). Gives what fits both.
Dimension expect_size(const InferContext& context, size_t i, std::string_view name, size_t axis,
                      Dimension size, std::string_view source);
// The axes that input `i` holds, a scalar or 1-D tensor, as 0..rank-1 where its value and
// the rank of `shape` are known. Its value becomes part of what a plan is made for.
std::optional<Ints> known_axes(InferContext& context, size_t i, const PartialShape& shape);

}  // namespace wasmvino::ops
