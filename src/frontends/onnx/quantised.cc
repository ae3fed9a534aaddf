// SPDX-License-Identifier: Apache-2.0
// Quantised operators of ai.onnx. Integers are multiplied and added in i32, so results are exact.
#include <algorithm>
#include <limits>

#include "frontends/build/functions.h"
#include "frontends/onnx/families.h"
#include "frontends/onnx/filters.h"
#include "frontends/onnx/integers.h"
#include "frontends/onnx/quantization.h"
#include "frontends/onnx/windows.h"

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

// Products of bytes after their zero points are at most 255 * 255. f32 is exact for sums of this many.
constexpr int64_t kExactProducts = (int64_t{1} << 24) / (255 * 255);

// The number of parts of the channels of a group whose convolutions are exact in f32; 0 if there is no good
// one. With more than one group, no kernel transforms the filters (Winograd), which would not be exact.
int64_t exact_parts(int64_t groups, int64_t channels, int64_t taps) {
  const int64_t fitting = kExactProducts / std::max<int64_t>(taps, 1);
  if (fitting < 1 || channels < 1) return 0;
  int64_t least = (channels + fitting - 1) / fitting;
  if (groups == 1 && channels > 1) least = std::max<int64_t>(least, 2);
  for (int64_t parts = least; parts <= std::min(4 * least, channels); ++parts) {
    if (channels % parts == 0) return parts;
  }
  return 0;
}

// A convolution of quantised data in i32. The filters may have zero points of their own. The kernels of f32
// are much faster than those of i32, so they convolve a part of the channels at a time, and the results are
// added.
Source convolve_integers(Context& c, const Source& data, const std::optional<Source>& data_zero_point,
                         const Source& filters, const std::optional<Source>& filters_zero_point) {
  Builder& b = c.b();
  const auto rank = static_cast<int64_t>(b.rank(filters));
  const int64_t groups = c.count("group", 1);
  const PartialShape shape = b.shape(filters);
  int64_t parts = 0;
  if (is_byte(b.type(data)) && is_byte(b.type(filters)) && shape.is_static() && rank > 2 &&
      shape[0].size() % groups == 0) {
    int64_t taps = 1;
    for (size_t i = 2; i < shape.rank(); ++i) taps *= std::min<int64_t>(shape[i].size(), kExactProducts + 1);
    parts = rank > 5 ? 0 : exact_parts(groups, shape[1].size(), taps);
  }
  const ElementType type = parts == 0 ? ElementType::kI32 : ElementType::kF32;
  const Source x = centered(c, data, data_zero_point, 1, type),
               w = centered(c, filters, filters_zero_point, rank, type);
  if (parts == 0) return convolve(c, x, w);
  const int64_t made = shape[0].size() / groups;
  Ints apart = {groups, made, parts, shape[1].size() / parts}, order = {0, 2, 1, 3},
       joined = {groups * parts, made, shape[1].size() / parts};
  for (size_t i = 2; i < shape.rank(); ++i) {
    apart.push_back(shape[i].size());
    order.push_back(static_cast<int64_t>(i) + 2);
    joined.push_back(shape[i].size());
  }
  const Source grouped = reshape(b, transpose(b, reshape(b, w, apart), order), joined);
  const Source products = b.add("GroupConvolution", std::vector{x, grouped},
                                windows_of(c, static_cast<size_t>(rank) - 2).attributes(true));
  const Source exact = convert(b, products, ElementType::kI32);
  if (parts == 1) return exact;
  // [N, groups * parts * made, ...] to [N * groups, parts, made, ...]
  const Source sizes = shape_of(b, exact);
  const Source spatial = slice(b, sizes, 0, 2, std::numeric_limits<int64_t>::max());
  const Source rows = reshape(b, exact, concat_lists(b, {b.list({-1, parts, made}), spatial}));
  const Source sum = reduce(b, "ReduceSum", rows, {1}, false);
  return reshape(b, sum, concat_lists(b, {size_of(b, exact, 0), b.list({groups * made}), spatial}));
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
