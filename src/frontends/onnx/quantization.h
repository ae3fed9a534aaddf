// SPDX-License-Identifier: Apache-2.0
// Quantisation by the rules of ONNX: quotients are rounded half to even, and integers saturate.
#pragma once

#include <optional>

#include "frontends/onnx/context.h"

namespace wasmvino::onnx {

// Scales and zero points: one for all elements, one for each element of an axis, or one for each block of
// elements along an axis.
struct Scales {
  Source scale;
  std::optional<Source> zero_point;
  int64_t axis = 1;   // may count from the end
  int64_t block = 0;  // elements in a block; 0: there are no blocks
};

// (x - zero point) * scale, in the type of the scale unless `type` names another one.
Source dequantize(Context& c, const Source& x, const Scales& scales,
                  ElementType type = ElementType::kDynamic);

// x / scale + zero point in an integer type, or in a type of floats of 4 or 8 bits. Floats that are too large
// become the largest one if `saturate`, else infinite or NaN.
Source quantize(Context& c, const Source& x, const Scales& scales, ElementType type, bool saturate = true,
                ElementType quotient = ElementType::kDynamic);

// Real numbers that are rounded, moved by a zero point of that type, and saturate. Without a zero point: u8.
Source round_to_levels(Context& c, const Source& x, const std::optional<Source>& zero_point);

// One value for all elements as a scalar, whatever its shape; other values as they are.
Source as_scalar(model::Builder& b, const Source& value);

// x - zero point, in i32 or in f32, which is exact for bytes. The zero point has one element, or one for each
// of `axis`, which counts from the end.
Source centered(Context& c, const Source& x, const std::optional<Source>& zero_point, int64_t axis_from_end,
                ElementType type = ElementType::kI32);

}  // namespace wasmvino::onnx
