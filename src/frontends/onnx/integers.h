// SPDX-License-Identifier: Apache-2.0
// Products of quantised values in i32, which the quantised operators of all domains share.
#pragma once

#include <optional>

#include "frontends/onnx/context.h"

namespace wasmvino::onnx {

// A quantised value: its data, scale and zero point.
struct Quantised {
  Source data, scale;
  std::optional<Source> zero_point;

  // Inputs first, first + 1 and first + 2 of the node.
  static Quantised of(Context& c, size_t first);
};

// The value in f32.
Source dequantize(Context& c, const Quantised& value);
// A real value as levels of the scale and zero point in inputs `first` and first + 1.
Source quantize_as(Context& c, const Source& x, size_t first);

// What a quantised operator computes from its sums in i32: sum * (a * b / y), rounded and moved by the zero
// point of y. The scales broadcast to the sum.
Source requantize(Context& c, const Source& sum, const Source& a_scale, const Source& b_scale, size_t y);

// A matmul of quantised matrices in i32. Scales and zero points are those of all elements, of the rows of a,
// or of the columns of b.
Source multiply_integers(Context& c, const Source& a, const std::optional<Source>& a_zero_point,
                         const Source& b, const std::optional<Source>& b_zero_point);
// One number for each row of a matmul's result: [n] becomes [n, 1].
Source for_rows(Context& c, const Source& numbers);

// A quantised value in u8, by the rules of DynamicQuantizeLinear: the scale is f32, the zero point u8.
Quantised quantize_dynamically(Context& c, const Source& x);

// u8 or i8.
bool is_byte(ElementType type);

}  // namespace wasmvino::onnx
