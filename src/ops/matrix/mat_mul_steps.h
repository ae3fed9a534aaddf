// SPDX-License-Identifier: Apache-2.0
// Matmuls with fused bias, residual and activation. Shared by MatMul and FusedMatMul.
#pragma once

#include <memory>

#include "model/op.h"
#include "ops/internal/activation.h"

namespace wasmvino::ops {

// The attributes of MatMul.
struct MatMulSpec {
  bool transpose_a = false;
  bool transpose_b = false;
};

// Applied to each result before it is stored: activation(matmul + bias + residual).
struct MatMulFusion {
  bool bias = false;      // [n], an input
  bool residual = false;  // the last input; compile_mat_mul requires the output's shape
  kernels::UnaryFunction activation;

  // Indices of these inputs.
  static size_t bias_input() { return 2; }
  size_t residual_input() const { return 2 + (bias ? 1 : 0); }
  size_t input_count() const { return 2 + (bias ? 1 : 0) + (residual ? 1 : 0); }
  bool empty() const { return !bias && !residual && activation.kind == kernels::Unary::kIdentity; }
  // Only the bias, if another kernel adds the residual and applies the activation.
  MatMulFusion product() const { return {bias, false, {}}; }
};

// Sizes and strides, in elements.
struct MatMulProblem {
  size_t m = 1, n = 1, k = 1;
  size_t a_row = 0, a_k = 0, b_k = 0, b_column = 0;
  size_t b_matrices = 1;  // in memory
  size_t matrices = 1;    // results
  Shape batch;            // batch axes of the results
  Ints a_batch, b_batch;  // strides along the batch axes, in matrices; 0 if a matrix is reused
};

MatMulProblem make_mat_mul_problem(const Shape& a, const Shape& b, const MatMulSpec& spec);

// Indices of the matrices of A and B that give result i.
struct MatrixPair {
  size_t a, b;
};
MatrixPair pair_of(const MatMulProblem& problem, size_t i);

// The shape of a matmul's result. Both ranks must be known.
PartialShape mat_mul_shape(const PartialShape& a, const PartialShape& b, const MatMulSpec& spec);

// Infers type and shape of the matmul of inputs 0 and 1.
void infer_mat_mul(InferContext& context, const MatMulSpec& spec);

// Compiles the kernel for f32 inputs. Constant matrices B are packed, in their quantised form if they have
// one.
std::unique_ptr<Kernel> compile_mat_mul(CompileContext& context, const MatMulSpec& spec,
                                        const MatMulFusion& fusion);

}  // namespace wasmvino::ops
