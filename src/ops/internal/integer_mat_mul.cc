// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/integer_mat_mul.h"

#include "kernels/integer_gemm.h"
#include "ops/internal/compressed_mat_mul.h"
#include "ops/quantised_data/integer_product.h"

namespace wasmvino::ops {
namespace {

// Whether the elements of a row are adjacent.
bool in_order(const CompressedForm& form) {
  return form.k == 0 || place_of(form.of_k, form.k - 1) == form.k - 1;
}

// The weights [n][k] minus their zero points; nullopt if one does not fit s8.
std::optional<std::vector<int8_t>> integers_of(const IntegerMatMul::Weights& weights,
                                               const TensorView& values) {
  const CompressedForm& form = weights.form;
  const auto shift = static_cast<float>(shift_of(values.type));
  const std::vector<size_t> places_k = places_of(form.of_k, form.k);
  std::vector<float> row(form.k);
  std::vector<int8_t> integers;
  integers.reserve((CheckedSize(form.n) * form.k).value());
  for (size_t j = 0; j < form.n; ++j) {
    const size_t first = place_of(form.of_n, j);
    if (in_order(form)) {
      load_stored(values, first, form.k, row.data());
    } else {
      for (size_t p = 0; p < form.k; ++p) load_stored(values, first + places_k[p], 1, &row[p]);
    }
    for (float value : row) {
      if (!weights.zero_points.empty()) value += shift - weights.zero_points[j];
      if (value < -128 || value > 127) return std::nullopt;
      integers.push_back(static_cast<int8_t>(value));
    }
  }
  return integers;
}

}  // namespace

bool IntegerMatMul::takes(const Weights& weights, const TensorView& values) {
  const CompressedForm& form = weights.form;
  if (is_real(values.type) || !form.matrices.empty() || form.groups() != 1 || form.has_columns())
    return false;
  if (form.k == 0 || form.k > kernels::kMostIntegerDepth) return false;
  return (values.type == ElementType::kI8 && weights.zero_points.empty()) ||
         integers_of(weights, values).has_value();
}

void IntegerMatMul::infer(InferContext& context) const {
  const ValueInfo* data = &context.input(0);
  ValueInfo product;
  InferContext of_product(context.node(), {&data, 1}, {&product, 1});
  CompressedMatMul(parts_.weights.form).infer(of_product);
  context.set_output(0, parts_.output ? ElementType::kU8 : ElementType::kF32, product.shape);
}

std::unique_ptr<Kernel> IntegerMatMul::compile(CompileContext& context) const {
  const CompressedForm& form = parts_.weights.form;
  const Shape& shape = context.input_shape(0);
  const size_t rows = element_count(shape) / form.k;
  IntegerProduct product;
  product.conv.in = product.conv.out = {{1, 1, rows}};
  product.conv.in_channels = product.conv.in_stride = form.k;
  product.conv.out_channels = product.conv.out_stride = form.n;
  const TensorView* values = context.constant(1);
  product.integers = [this, values] { return *integers_of(parts_.weights, *values); };
  product.places = {nullptr, 0, form.k, 1, 0};
  // The key covers order and zero points: the same constant may be read in another order or with other zero
  // points.
  product.key = cat("matmul ", form.n, " ", in_order(form) ? "" : "by columns ");
  for (const float zero : parts_.weights.zero_points)
    product.key += static_cast<char>(static_cast<uint8_t>(zero));
  product.scales.assign(parts_.weights.scales.begin(), parts_.weights.scales.end());
  product.take(parts_);
  return compile_integer_product(context, std::move(product));
}

}  // namespace wasmvino::ops
