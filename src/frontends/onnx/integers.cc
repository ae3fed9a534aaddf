// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/integers.h"

#include "frontends/build/functions.h"
#include "frontends/onnx/quantization.h"

namespace wasmvino::onnx {

using namespace frontends::build;  // NOLINT: the file consists of its calls
using model::Builder;

Quantised Quantised::of(Context& c, size_t first) {
  return {c.input(first), c.input(first + 1), c.find_input(first + 2)};
}

Source dequantize(Context& c, const Quantised& value) {
  return dequantize(c, value.data, {as_scalar(c.b(), value.scale), value.zero_point});
}

Source quantize_as(Context& c, const Source& x, size_t first) {
  const auto zero_point = c.find_input(first + 1);
  const ElementType type = zero_point ? c.b().type(*zero_point) : ElementType::kU8;
  return quantize(c, x, {as_scalar(c.b(), c.input(first)), zero_point}, type);
}

Source requantize(Context& c, const Source& sum, const Source& a_scale, const Source& b_scale, size_t y) {
  Builder& b = c.b();
  const auto real = [&](const Source& x) { return convert(b, x, ElementType::kF32); };
  const Source product = b.add("Multiply", {real(a_scale), real(b_scale)});
  const Source scale = b.add("Divide", {product, real(as_scalar(b, c.input(y)))});
  return round_to_levels(c, b.add("Multiply", {real(sum), scale}), c.find_input(y + 1));
}

Source for_rows(Context& c, const Source& numbers) {
  const PartialShape shape = c.b().shape(numbers);
  const bool list = shape.has_rank() && shape.rank() == 1 && shape[0] != Dimension(1);
  return list ? unsqueeze(c.b(), numbers, {1}) : as_scalar(c.b(), numbers);
}

bool is_byte(ElementType type) { return type == ElementType::kU8 || type == ElementType::kI8; }

namespace {

bool has_one_element(const PartialShape& shape) {
  return shape.is_static() && element_count(shape.to_shape()) == 1;
}

// Whether the operation MatMulInteger takes these zero points: one of a, and one for all of b or for each of
// its columns.
bool fits_operation(Context& c, const Source& a, const std::optional<Source>& a_zero_point, const Source& b,
                    const std::optional<Source>& b_zero_point) {
  const model::Builder& builder = c.b();
  if (!is_byte(builder.type(a)) || !is_byte(builder.type(b))) return false;
  if (a_zero_point && !has_one_element(builder.shape(*a_zero_point))) return false;
  if (!b_zero_point) return true;
  const PartialShape shape = builder.shape(*b_zero_point);
  return has_one_element(shape) || (shape.has_rank() && shape.rank() == 1);
}

}  // namespace

Source multiply_integers(Context& c, const Source& a, const std::optional<Source>& a_zero_point,
                         const Source& b, const std::optional<Source>& b_zero_point) {
  Builder& builder = c.b();
  if (fits_operation(c, a, a_zero_point, b, b_zero_point)) {
    const auto zero = [&](const std::optional<Source>& given, const Source& like) {
      return given ? as_scalar(builder, *given) : number_like(builder, 0, like);
    };
    return builder.add_of("ai.onnx", "MatMulInteger", {a, b, zero(a_zero_point, a), zero(b_zero_point, b)});
  }
  std::optional<Source> of_rows;
  if (a_zero_point) of_rows = for_rows(c, *a_zero_point);
  return builder.add("MatMul", {centered(c, a, of_rows, 1), centered(c, b, b_zero_point, 1)});
}

Quantised quantize_dynamically(Context& c, const Source& x) {
  Builder& b = c.b();
  // All elements as a list, so that a value of any rank has one range. 0 is always part of it.
  const Source list = concat(b, {reshape(b, x, Ints{-1}), b.constant(Tensor::of<float>({1}, {0}))}, 0);
  const Source lowest = reduce(b, "ReduceMin", list, {0}, false);
  const Source highest = reduce(b, "ReduceMax", list, {0}, false);
  const Source range = b.add("Subtract", {highest, lowest});
  const Source step = b.add("Divide", {range, number_like(b, 255, x)});
  const Source empty = b.add("Equal", {lowest, highest});
  const Source scale = b.add("Select", {empty, number_like(b, 1, x), step});
  const Source offset = b.add("Divide", {b.add("Subtract", {number_like(b, 0, x), lowest}), scale});
  const Source zero_point = round_to_levels(c, offset, std::nullopt);
  return {quantize(c, x, {scale, zero_point}, ElementType::kU8), scale, zero_point};
}

}  // namespace wasmvino::onnx
