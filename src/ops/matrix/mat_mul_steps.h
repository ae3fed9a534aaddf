// SPDX-License-Identifier: Apache-2.0
// Matmuls with the steps of their store: what MatMul and FusedMatMul share.
#pragma once

#include <memory>

#include "model/op.h"
#include "ops/internal/activation.h"
#include "ops/quantised_data/compressed_weights.h"

namespace wasmvino::ops {

// The attributes of MatMul.
struct MatMulSpec {
  bool transpose_a = false;
  bool transpose_b = false;
};

// The steps of the store: activation(matmul + bias + residual).
struct MatMulFusion {
  bool bias = false;      // [n], an input
  bool residual = false;  // an input, the last; compile_mat_mul wants it in the output's shape
  kernels::UnaryFunction activation;

  // Where data and weights are the first `operands` inputs.
  size_t bias_input(size_t operands = 2) const { return operands; }
  size_t residual_input(size_t operands = 2) const { return operands + (bias ? 1 : 0); }
  size_t input_count() const { return 2 + (bias ? 1 : 0) + (residual ? 1 : 0); }
  bool empty() const { return !bias && !residual && activation.kind == kernels::Unary::kIdentity; }
  // Without residual and activation, if another kernel computes them.
  MatMulFusion product() const { return {bias, false, {}}; }
};

// Sizes and strides, in elements, of known shapes.
struct MatMulProblem {
  size_t m = 1, n = 1, k = 1;
  size_t a_row = 0, a_k = 0, b_k = 0, b_column = 0;
  size_t b_matrices = 1;  // in memory
  size_t matrices = 1;    // results
  Shape batch;            // axes of the results
  Ints a_batch, b_batch;  // strides along them, in matrices; 0 where one is used again
};

MatMulProblem make_mat_mul_problem(const Shape& a, const Shape& b, const MatMulSpec& spec);

// The matrices of A and B for result i.
struct MatrixPair {
  size_t a, b;
};
MatrixPair pair_of(const MatMulProblem& problem, size_t i);

// The shape of a matmul's result; both ranks are known.
PartialShape mat_mul_shape(const PartialShape& a, const PartialShape& b, const MatMulSpec& spec);

// Type and shape of the matmul of inputs 0 and 1.
void infer_mat_mul(InferContext& context, const MatMulSpec& spec);

// The kernel for inputs of f32; constant matrices B are packed.
std::unique_ptr<Kernel> compile_mat_mul(CompileContext& context, const MatMulSpec& spec,
                                        const MatMulFusion& fusion);
// The same for quantised weights, which inputs 1 and following hold.
std::unique_ptr<Kernel> compile_mat_mul(CompileContext& context, const CompressedForm& form, bool transpose_a,
                                        const MatMulFusion& fusion);

}  // namespace wasmvino::ops
