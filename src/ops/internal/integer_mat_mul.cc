// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/integer_mat_mul.h"

#include "kernels/integer_gemm.h"
#include "ops/quantised_data/integer_product.h"
#include "ops/quantised_data/quantised_matrices.h"

namespace wasmvino::ops {

bool IntegerMatMul::takes(const MatMulSpec& spec, const QuantisedConstant& weights) {
  if (spec.transpose_a || weights.shape().size() != 2 || !is_integral(weights.stored_type())) return false;
  const MatrixForm form = matrix_form(weights, !spec.transpose_b);
  if (form.group != form.k || form.has_columns()) return false;
  if (form.k == 0 || form.k > kernels::kMostIntegerDepth) return false;
  return weights.surely_fits_s8() || weights.integers().has_value();
}

void IntegerMatMul::infer(InferContext& context) const {
  const PartialShape& data = context.input_shape(0);
  try {
    if (may_broadcast(context)) {
      return infer_residual(context, IntegerMatMul({parts_.spec, parts_.fusion.product()}));
    }
    set_result(context,
               data.has_rank() ? mat_mul_shape(data, context.input_shape(1), parts_.spec) : PartialShape(),
               parts_.output);
  } catch (Error& error) {
    const Node& node = context.node();
    error.at_layer(node.name, "MatMul", node.id, 1, node.line);
    throw;
  }
}

std::unique_ptr<Kernel> IntegerMatMul::compile(CompileContext& context) const {
  if (may_broadcast(context)) {
    const IntegerMatMul product({parts_.spec, parts_.fusion.product()});
    if (auto kernel = compile_broadcast_residual(context, product, parts_.fusion.activation)) return kernel;
  }
  const QuantisedConstant& weights = *quantised_input(context, 1);
  const bool transposed = !parts_.spec.transpose_b;  // stored as [k][n]
  const size_t n_axis = transposed ? 1 : 0;
  const auto n = static_cast<size_t>(weights.shape()[n_axis]);
  const auto k = static_cast<size_t>(weights.shape()[1 - n_axis]);
  IntegerProduct product;
  product.conv.in = product.conv.out = {{1, 1, element_count(context.input_shape(0)) / k}};
  product.conv.in_channels = product.conv.in_stride = k;
  product.conv.out_channels = product.conv.out_stride = n;
  product.integers = [&weights] { return *weights.integers(); };
  product.places = {nullptr, 0, transposed ? 1 : k, transposed ? n : 1, 0};
  product.key = cat("matmul ", n, transposed ? " by columns" : "");
  const std::vector<float> scales = weights.scales_along({n_axis});
  product.scales.assign(scales.begin(), scales.end());
  product.take(context, parts_);
  return compile_integer_product(context, std::move(product));
}

}  // namespace wasmvino::ops
