// SPDX-License-Identifier: Apache-2.0
// Quantised operators of com.microsoft. Those that only map values compute in f32 between dequantisation and
// quantisation; those that multiply add in i32.
#include <algorithm>

#include "frontends/build/functions.h"
#include "frontends/onnx/families.h"
#include "frontends/onnx/integers.h"
#include "frontends/onnx/quantization.h"
#include "frontends/onnx/windows.h"

namespace wasmvino::onnx {
namespace {

using namespace frontends::build;  // NOLINT: builder functions are written in terms of these throughout
using model::Builder;

void binary(Context& c, const char* type) {
  const Source a = dequantize(c, Quantised::of(c, 0)), other = dequantize(c, Quantised::of(c, 3));
  c.give(quantize_as(c, c.b().add(type, {a, other}), 6));
}
void add(Context& c) { binary(c, "Add"); }
void multiply(Context& c) { binary(c, "Multiply"); }

void sigmoid(Context& c) {
  c.give(quantize_as(c, c.b().add("Sigmoid", {dequantize(c, Quantised::of(c, 0))}), 3));
}

void leaky_relu(Context& c) {
  const Source x = dequantize(c, Quantised::of(c, 0));
  const Source slope = reshape(c.b(), number_like(c.b(), c.real("alpha", 0.01), x), Ints{1});
  c.give(quantize_as(c, c.b().add("PRelu", {x, slope}), 3));
}

void softmax(Context& c) {
  Builder& b = c.b();
  const Source x = dequantize(c, Quantised::of(c, 0));
  const int64_t axis = c.integer("axis", -1);
  if (c.integer("opset") >= 13) {
    return c.give(quantize_as(c, b.add("Softmax", {x}, {{"axis", axis}}), 3));
  }
  // All axes from `axis` on are one.
  const size_t rank = b.rank(x);
  const int64_t first = c.axis(axis, rank);
  std::vector<Source> sizes;
  for (int64_t i = 0; i < first; ++i) sizes.push_back(size_of(b, x, i));
  sizes.push_back(b.list({-1}));
  const Source rows = reshape(b, x, concat_lists(b, sizes));
  const Source result = b.add("Softmax", {rows}, {{"axis", int64_t{-1}}});
  c.give(quantize_as(c, reshape(b, result, shape_of(b, x)), 3));
}

Ints order_of(size_t rank, bool to_last) {
  Ints order = {0};
  for (size_t i = 2; i < rank; ++i) order.push_back(static_cast<int64_t>(to_last ? i : i - 1));
  if (to_last) {
    order.push_back(1);
  } else {
    order.insert(1, static_cast<int64_t>(rank) - 1);
  }
  return order;
}

// Calls pool(x) for channels-first data.
template <typename Pool>
void pooled(Context& c, const Pool& pool) {
  Builder& b = c.b();
  Source x = dequantize(c, Quantised::of(c, 0));
  const bool last = c.flag("channels_last");
  if (last) x = transpose(b, x, order_of(b.rank(x), false));
  Source result = pool(x);
  if (last) result = transpose(b, result, order_of(b.rank(x), true));
  c.give(quantize_as(c, result, 3));
}

void average_pool(Context& c) {
  pooled(c, [&](const Source& x) {
    const Ints kernel = c.ints("kernel_shape");
    model::Attributes attributes = windows_of(c, kernel.size()).attributes(false);
    attributes.push_back({"kernel", kernel});
    attributes.push_back({"exclude-pad", !c.flag("count_include_pad")});
    attributes.push_back({"rounding_type", c.flag("ceil_mode") ? "ceil_torch" : "floor"});
    return c.b().add("AvgPool", std::vector{x}, attributes);
  });
}

void global_average_pool(Context& c) {
  pooled(c, [&](const Source& x) {
    Ints axes;
    for (size_t i = 2; i < c.b().rank(x); ++i) axes.push_back(static_cast<int64_t>(i));
    return reduce(c.b(), "ReduceMean", x, axes, true);
  });
}

void reduce_mean(Context& c) {
  const Source x = dequantize(c, Quantised::of(c, 0));
  Ints axes = c.ints("axes");
  for (size_t i = 0; axes.empty() && i < c.b().rank(x); ++i) axes.push_back(static_cast<int64_t>(i));
  c.give(quantize_as(c, reduce(c.b(), "ReduceMean", x, axes, c.flag("keepdims", true)), 3));
}

void join(Context& c) {
  std::vector<Source> parts;
  for (size_t i = 2; i < c.input_count(); i += 3) parts.push_back(dequantize(c, Quantised::of(c, i)));
  if (parts.empty()) fail(ErrorCode::kInvalidModel, "has no values to join");
  c.give(quantize_as(c, concat(c.b(), parts, c.integer("axis")), 0));
}

void where(Context& c) {
  const Source a = dequantize(c, Quantised::of(c, 1)), other = dequantize(c, Quantised::of(c, 4));
  c.give(quantize_as(c, c.b().add("Select", {c.input(0), a, other}), 7));
}

Source transposed_if(Builder& b, const Source& x, bool transposed) {
  return transposed ? transpose(b, x, {1, 0}) : x;
}

void gemm(Context& c) {
  Builder& b = c.b();
  const Quantised a = Quantised::of(c, 0), w = Quantised::of(c, 3);
  Source sum = multiply_integers(c, transposed_if(b, a.data, c.flag("transA")), a.zero_point,
                                 transposed_if(b, w.data, c.flag("transB")), w.zero_point);
  if (const auto bias = c.find_input(6)) sum = b.add("Add", {sum, *bias});
  const Source a_scale = as_scalar(b, a.scale), w_scale = as_scalar(b, w.scale);
  const Source scale = b.add("Multiply", {a_scale, number_like(b, c.real("alpha", 1), a_scale)});
  if (c.has_input(7)) return c.give(requantize(c, sum, scale, w_scale, 7));
  const Source both = b.add("Multiply", {scale, w_scale});
  c.give(b.add("Multiply", {convert(b, sum, ElementType::kF32), both}));
}

// A product in i32 as reals: sum * (a * b) + bias.
void give_real(Context& c, const Source& sum, const Source& a_scale, const Source& b_scale, size_t bias) {
  Builder& b = c.b();
  const Source scale = b.add("Multiply", {a_scale, b_scale});
  Source result = b.add("Multiply", {convert(b, sum, b.type(scale)), scale});
  if (const auto added = c.find_input(bias)) result = b.add("Add", {result, *added});
  c.give(result);
}

void mat_mul_integer_to_float(Context& c) {
  const Source sum = multiply_integers(c, c.input(0), c.find_input(4), c.input(1), c.find_input(5));
  give_real(c, sum, for_rows(c, c.input(2)), as_scalar(c.b(), c.input(3)), 6);
}

void dynamic_quantize_mat_mul(Context& c) {
  const Quantised a = quantize_dynamically(c, c.input());
  const Source sum = multiply_integers(c, a.data, a.zero_point, c.input(1), c.find_input(3));
  give_real(c, sum, a.scale, as_scalar(c.b(), c.input(2)), 4);
}

constexpr Entry kEntries[] = {
    {"DynamicQuantizeMatMul", kAllOpsets, dynamic_quantize_mat_mul, "MatMul", "com.microsoft"},
    {"MatMulIntegerToFloat", kAllOpsets, mat_mul_integer_to_float, "MatMul", "com.microsoft"},
    {"QGemm", kAllOpsets, gemm, "MatMul", "com.microsoft"},
    {"QLinearAdd", kAllOpsets, add, "Add", "com.microsoft"},
    {"QLinearAveragePool", kAllOpsets, average_pool, "AvgPool", "com.microsoft"},
    {"QLinearConcat", kAllOpsets, join, "Concat", "com.microsoft"},
    {"QLinearGlobalAveragePool", kAllOpsets, global_average_pool, "ReduceMean", "com.microsoft"},
    {"QLinearLeakyRelu", kAllOpsets, leaky_relu, "PRelu", "com.microsoft"},
    {"QLinearMul", kAllOpsets, multiply, "Multiply", "com.microsoft"},
    {"QLinearReduceMean", kAllOpsets, reduce_mean, "ReduceMean", "com.microsoft"},
    {"QLinearSigmoid", kAllOpsets, sigmoid, "Sigmoid", "com.microsoft"},
    {"QLinearSoftmax", kAllOpsets, softmax, "Softmax", "com.microsoft"},
    {"QLinearWhere", kAllOpsets, where, "Select", "com.microsoft"},
};

}  // namespace

std::span<const Entry> quantised_functions() { return kEntries; }

}  // namespace wasmvino::onnx
