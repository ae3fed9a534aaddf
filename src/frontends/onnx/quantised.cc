// SPDX-License-Identifier: Apache-2.0
// Quantised operators of ai.onnx. Integers are multiplied and added in i32, so results are exact.
#include "frontends/build/functions.h"
#include "frontends/onnx/families.h"
#include "frontends/onnx/filters.h"
#include "frontends/onnx/integers.h"
#include "frontends/onnx/quantization.h"

namespace wasmvino::onnx {
namespace {

using namespace frontends::build;  // NOLINT: the file consists of its calls
using model::Builder;

Scales scales_of(Context& c) {
  return {c.input(1), c.find_input(2), c.integer("axis", 1), c.integer("block_size", 0)};
}

void quantize_linear(Context& c) {
  const Scales scales = scales_of(c);
  ElementType type = c.element_type("output_dtype", ElementType::kDynamic);
  if (type == ElementType::kDynamic)
    type = scales.zero_point ? c.b().type(*scales.zero_point) : ElementType::kU8;
  const ElementType quotient = c.element_type("precision", ElementType::kDynamic);
  c.give(quantize(c, c.input(), scales, type, c.flag("saturate", true), quotient));
}

// A constant of one element.
std::optional<double> number_of(Context& c, const Source& source) {
  const auto& constant = c.b().info(source).constant;
  if (constant == nullptr || element_count(constant->shape()) != 1) return std::nullopt;
  return to_doubles(constant->value().view())[0];
}

// The input of an operation of this type, if that made the value.
std::optional<Source> input_of(const Source& source, std::string_view type, size_t input = 0) {
  return source.node->type == type ? std::optional(source.node->inputs[input]) : std::nullopt;
}

// The value before QuantizeLinear, if that made x in u8 or i8 with this one scale and zero point.
std::optional<Source> before_quantization(Context& c, const Source& x, double scale, double zero_point) {
  const auto clamped = input_of(x, "Convert");
  auto level = clamped ? input_of(*clamped, "Clamp") : std::nullopt;
  double own_zero_point = 0;
  if (const auto sum = level ? input_of(*level, "Add") : std::nullopt) {
    const auto zero = number_of(c, level->node->inputs[1]);
    if (!zero) return std::nullopt;
    own_zero_point = *zero;
    level = sum;
  }
  const auto ratio = level ? input_of(*level, "Round") : std::nullopt;
  const auto data = ratio ? input_of(*ratio, "Divide") : std::nullopt;
  if (!data || c.b().type(*data) != ElementType::kF32) return std::nullopt;
  const auto own_scale = number_of(c, ratio->node->inputs[1]);
  return own_scale == scale && own_zero_point == zero_point ? data : std::nullopt;
}

// QuantizeLinear and DequantizeLinear together, in the form that passes turn into operations on integers.
std::optional<Source> fake_quantize(Context& c, const Source& x, const Scales& scales) {
  Builder& b = c.b();
  const ElementType type = b.type(x);
  const auto scale = number_of(c, scales.scale);
  const auto zero_point = scales.zero_point ? number_of(c, *scales.zero_point) : std::optional(0.0);
  if ((type != ElementType::kU8 && type != ElementType::kI8) || !scale || !zero_point || !(*scale > 0) ||
      b.type(scales.scale) != ElementType::kF32)
    return std::nullopt;
  const auto data = before_quantization(c, x, *scale, *zero_point);
  if (!data) return std::nullopt;
  const double lowest = type == ElementType::kI8 ? -128 : 0;
  const auto end = [&](double level) { return b.scalar((level - *zero_point) * *scale, ElementType::kF32); };
  const Source low = end(lowest), high = end(lowest + 255);
  return b.add("FakeQuantize", {*data, low, high, low, high}, {{"levels", int64_t{256}}});
}

void dequantize_linear(Context& c) {
  const ElementType type = c.element_type("output_dtype", ElementType::kDynamic);
  const Scales scales = scales_of(c);
  if (type == ElementType::kDynamic || type == ElementType::kF32) {
    if (const auto pair = fake_quantize(c, c.input(), scales)) return c.give(*pair);
  }
  c.give(dequantize(c, c.input(), scales, type));
}

void dynamic_quantize_linear(Context& c) {
  const Quantised value = quantize_dynamically(c, c.input());
  c.give({value.data, value.scale, *value.zero_point});
}

void mat_mul_integer(Context& c) {
  c.give(multiply_integers(c, c.input(0), c.find_input(2), c.input(1), c.find_input(3)));
}

void q_linear_mat_mul(Context& c) {
  const Quantised a = Quantised::of(c, 0), b = Quantised::of(c, 3);
  const Source sum = multiply_integers(c, a.data, a.zero_point, b.data, b.zero_point);
  c.give(requantize(c, sum, for_rows(c, a.scale), as_scalar(c.b(), b.scale), 6));
}

// A convolution of quantised data in i32. The filters may have zero points of their own.
Source convolve_integers(Context& c, const Source& data, const std::optional<Source>& data_zero_point,
                         const Source& filters, const std::optional<Source>& filters_zero_point) {
  const auto rank = static_cast<int64_t>(c.b().rank(filters));
  return convolve(c, centered(c, data, data_zero_point, 1), centered(c, filters, filters_zero_point, rank));
}

void conv_integer(Context& c) {
  c.give(convolve_integers(c, c.input(0), c.find_input(2), c.input(1), c.find_input(3)));
}

void q_linear_conv(Context& c) {
  Builder& b = c.b();
  const Quantised x = Quantised::of(c, 0), w = Quantised::of(c, 3);
  Source sum = convolve_integers(c, x.data, x.zero_point, w.data, w.zero_point);
  Ints channels(b.rank(w.data) - 1, 1);
  channels[0] = -1;
  if (const auto bias = c.find_input(8)) sum = b.add("Add", {sum, reshape(b, *bias, channels)});
  Source scale = as_scalar(b, w.scale);
  if (b.shape(scale).has_rank() && b.rank(scale) == 1) scale = reshape(b, scale, channels);
  c.give(requantize(c, sum, as_scalar(b, x.scale), scale, 6));
}

constexpr Entry kEntries[] = {
    {"ConvInteger", kAllOpsets, conv_integer, "Convolution GroupConvolution"},
    {"DequantizeLinear", kAllOpsets, dequantize_linear, "Convert Subtract Multiply"},
    {"DequantizeLinear", kAllOpsets, dequantize_linear, "Convert Subtract Multiply", "com.microsoft"},
    {"DynamicQuantizeLinear", kAllOpsets, dynamic_quantize_linear, "ReduceMin ReduceMax Divide Round"},
    {"MatMulInteger", kAllOpsets, mat_mul_integer, "MatMulInteger"},
    {"MatMulInteger16", kAllOpsets, mat_mul_integer, "MatMul", "com.microsoft"},
    {"QLinearConv", kAllOpsets, q_linear_conv, "Convolution GroupConvolution Round"},
    {"QLinearMatMul", kAllOpsets, q_linear_mat_mul, "MatMulInteger Round"},
    {"QuantizeLinear", kAllOpsets, quantize_linear, "Divide Round Clamp"},
    {"QuantizeLinear", kAllOpsets, quantize_linear, "Divide Round Clamp", "com.microsoft"},
};

}  // namespace

std::span<const Entry> quantised() { return kEntries; }

}  // namespace wasmvino::onnx
