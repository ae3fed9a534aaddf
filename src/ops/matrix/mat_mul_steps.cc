// SPDX-License-Identifier: Apache-2.0
#include "ops/matrix/mat_mul_steps.h"

#include <algorithm>

#include "model/node.h"
#include "ops/inputs/axes.h"
#include "ops/matrix/gemm.h"

namespace wasmvino::ops {
namespace {

// The matrix in the last two axes of a shape. A vector is a row (left) or a column (right), regardless of the
// transposition.
struct Operand {
  size_t rows, columns, row_stride, column_stride;
};

Operand operand(const Shape& shape, bool transpose, bool left) {
  const size_t rank = shape.size();
  const size_t last = static_cast<size_t>(shape[rank - 1]);
  if (rank == 1) return left ? Operand{1, last, last, 1} : Operand{last, 1, 1, 1};
  const size_t before = static_cast<size_t>(shape[rank - 2]);
  return transpose ? Operand{last, before, 1, last} : Operand{before, last, last, 1};
}

// The right operand: matrices packed at compile time, in f32 or quantised, or those of input 1.
struct RightSide {
  std::shared_ptr<const PackedMatrices> packed = nullptr;
  std::shared_ptr<const QuantisedMatrices> quantised = nullptr;

  // Floats of scratch memory that each thread needs for `rows` rows.
  size_t scratch_size(size_t rows) const {
    if (quantised != nullptr) return kernels::block_scratch_size(rows);
    return packed != nullptr ? 0 : kernels::kGemmScratchSize;
  }
};

class MatMulKernel final : public Kernel {
 public:
  MatMulKernel(MatMulProblem problem, const MatMulFusion& fusion, RightSide right, const Parallel& parallel)
      : p_(std::move(problem)), fusion_(fusion), right_(std::move(right)) {
    const size_t ranges = gemm_parts(parallel.threads(), p_.matrices * p_.m, p_.n, p_.k);
    const size_t matrices = std::max<size_t>(1, p_.matrices);
    // If there are many matmuls, none is split.
    parts_ = (ranges + matrices - 1) / matrices;
    grain_ = (matrices * parts_ + ranges - 1) / ranges;
    threads_ = std::min(parallel.threads(), parallel.ranges(p_.matrices * parts_, grain_));
  }

  // Each thread has its own part.
  CheckedSize scratch_bytes() const {
    return CheckedSize(threads_) * right_.scratch_size(p_.m) * sizeof(float);
  }

  void run(EvalContext& context) override {
    parallel_for(context.parallel(), p_.matrices * parts_, grain_,
                 [&](size_t first, size_t last, size_t thread) {
                   for (size_t task = first; task < last; ++task) {
                     compute(context, task / parts_, task % parts_, thread);
                   }
                 });
  }

  std::string method() const override {
    if (right_.packed != nullptr) return "f32, packed weights";
    if (right_.quantised != nullptr) return "f32, quantised weights dequantised block by block";
    return "f32, packed during the run";
  }

 private:
  void compute(EvalContext& context, size_t i, size_t part, size_t thread) const {
    const MatrixPair pair = pair_of(p_, i);
    kernels::Gemm gemm{};
    gemm.m = p_.m;
    gemm.n = p_.n;
    gemm.k = p_.k;
    gemm.a = context.input(0).data<float>() + pair.a * p_.m * p_.k;
    gemm.a_row_stride = p_.a_row;
    gemm.a_k_stride = p_.a_k;
    gemm.c = context.output(0).mutable_data<float>() + i * p_.m * p_.n;
    gemm.c_row_stride = p_.n;
    gemm.epilogue.activate(fusion_.activation);
    if (fusion_.bias) gemm.epilogue.bias = context.input(fusion_.bias_input()).data<float>();
    if (fusion_.residual) {
      const auto* residual = context.input(fusion_.residual_input()).data<float>() + i * p_.m * p_.n;
      gemm.epilogue.residual = {nullptr, residual, p_.n};
    }
    float* scratch = static_cast<float*>(context.scratch()) + thread * right_.scratch_size(p_.m);
    if (right_.packed != nullptr) {
      gemm_part(gemm, right_.packed->matrix(pair.b), part, parts_);
    } else if (right_.quantised != nullptr) {
      gemm_part(gemm, right_.quantised->matrix(pair.b), scratch, part, parts_);
    } else {
      const float* b = context.input(1).data<float>() + pair.b * p_.k * p_.n;
      gemm_part(gemm, b, p_.b_k, p_.b_column, scratch, part, parts_);
    }
  }

  MatMulProblem p_;
  MatMulFusion fusion_;
  RightSide right_;
  size_t parts_, grain_, threads_;
};

std::unique_ptr<Kernel> make_kernel(CompileContext& context, MatMulProblem problem,
                                    const MatMulFusion& fusion, RightSide right) {
  auto kernel =
      std::make_unique<MatMulKernel>(std::move(problem), fusion, std::move(right), context.parallel());
  context.request_scratch(kernel->scratch_bytes());
  return kernel;
}

}  // namespace

PartialShape mat_mul_shape(const PartialShape& a, const PartialShape& b, const MatMulSpec& spec) {
  const size_t a_rank = a.rank(), b_rank = b.rank();
  const size_t a_k = a_rank == 1 || !spec.transpose_a ? a_rank - 1 : a_rank - 2;
  const size_t b_k = b_rank == 1 ? 0 : spec.transpose_b ? b_rank - 1 : b_rank - 2;
  if (!a[a_k].compatible(b[b_k])) {
    throw Error(ErrorCode::kInvalidShape, cat("axis ", a_k, " of input 0 ", a, " is ", a[a_k], ", but axis ",
                                              b_k, " of input 1 ", b, " is ", b[b_k]))
        .port("input 1")
        .expected(to_string(a[a_k]))
        .actual(to_string(b[b_k]));
  }
  PartialShape a_batch = PartialShape::of_rank(0), b_batch = PartialShape::of_rank(0);
  for (size_t axis = 0; axis + 2 < a_rank; ++axis) a_batch.push_back(a[axis]);
  for (size_t axis = 0; axis + 2 < b_rank; ++axis) b_batch.push_back(b[axis]);
  auto shape = broadcast(a_batch, b_batch);
  if (!shape) {
    throw Error(ErrorCode::kInvalidShape, cat("the batch axes of input 0 ", a, " and input 1 ", b,
                                              " cannot be broadcast: ", a_batch, " and ", b_batch))
        .port("input 1")
        .expected(to_string(a_batch))
        .actual(to_string(b_batch));
  }
  if (a_rank > 1) shape->push_back(a[spec.transpose_a ? a_rank - 1 : a_rank - 2]);
  if (b_rank > 1) shape->push_back(b[spec.transpose_b ? b_rank - 2 : b_rank - 1]);
  return *shape;
}

MatMulProblem make_mat_mul_problem(const Shape& a_shape, const Shape& b_shape, const MatMulSpec& spec) {
  const Operand a = operand(a_shape, spec.transpose_a, true);
  const Operand b = operand(b_shape, spec.transpose_b, false);
  MatMulProblem p;
  p.m = a.rows;
  p.n = b.columns;
  p.k = a.columns;
  p.a_row = a.row_stride;
  p.a_k = a.column_stride;
  p.b_k = b.row_stride;
  p.b_column = b.column_stride;

  const size_t a_axes = a_shape.size() - std::min<size_t>(2, a_shape.size());
  const size_t b_axes = b_shape.size() - std::min<size_t>(2, b_shape.size());
  p.b_matrices = product(b_shape, 0, b_axes);
  if (p.b_matrices == 1 && p.a_k == 1 && a_shape.size() > 1) {
    // With a single B, all matrices of A are treated as one tall matrix. Where A is transposed, each has one
    // row.
    p.m *= product(a_shape, 0, a_axes);
    p.a_row = p.k;
    return p;
  }
  const size_t axes = std::max(a_axes, b_axes);
  p.batch.resize(axes, 1);
  p.a_batch.resize(axes, 0);
  p.b_batch.resize(axes, 0);
  int64_t a_stride = 1, b_stride = 1;
  for (size_t i = 1; i <= axes; ++i) {
    const int64_t a_size = i <= a_axes ? a_shape[a_axes - i] : 1;
    const int64_t b_size = i <= b_axes ? b_shape[b_axes - i] : 1;
    p.batch[axes - i] = a_size == 1 ? b_size : a_size;
    if (a_size != 1) p.a_batch[axes - i] = a_stride;
    if (b_size != 1) p.b_batch[axes - i] = b_stride;
    a_stride *= a_size;
    b_stride *= b_size;
  }
  p.matrices = element_count(p.batch);
  return p;
}

MatrixPair pair_of(const MatMulProblem& p, size_t i) {
  MatrixPair pair = {0, 0};
  for (size_t axis = p.batch.size(); axis-- > 0;) {
    const size_t at = i % static_cast<size_t>(p.batch[axis]);
    i /= static_cast<size_t>(p.batch[axis]);
    pair.a += at * static_cast<size_t>(p.a_batch[axis]);
    pair.b += at * static_cast<size_t>(p.b_batch[axis]);
  }
  return pair;
}

void infer_mat_mul(InferContext& context, const MatMulSpec& spec) {
  const PartialShape& a = context.input_shape(0);
  const PartialShape& b = context.input_shape(1);
  for (size_t i = 0; i < 2; ++i) {
    const PartialShape& shape = context.input_shape(i);
    if (shape.has_rank() && shape.rank() == 0) {
      throw Error(ErrorCode::kInvalidShape, cat("input ", i, " is a scalar, expected 1 or more axes"))
          .port(cat("input ", i));
    }
  }
  context.set_output(0, context.common_type(0, 1),
                     a.has_rank() && b.has_rank() ? mat_mul_shape(a, b, spec) : PartialShape());
}

std::unique_ptr<Kernel> compile_mat_mul(CompileContext& context, const MatMulSpec& spec,
                                        const MatMulFusion& fusion) {
  MatMulProblem problem = make_mat_mul_problem(context.input_shape(0), context.input_shape(1), spec);
  RightSide right;
  right.quantised = quantised_matrices(
      context, 1, {0, problem.b_k, problem.b_column, problem.k, problem.n, problem.b_matrices});
  if (right.quantised != nullptr) {
    context.consume(1);
  } else if (context.input(1).constant != nullptr) {
    const std::string key = cat("b ", problem.b_matrices, " ", problem.k, " ", problem.n, " ", problem.b_k);
    right.packed = context.shared<PackedMatrices>(1, key, [&] {
      return std::make_shared<PackedMatrices>(context.constant(1)->data<float>(), problem.b_matrices,
                                              problem.k * problem.n, problem.k, problem.n, problem.b_k,
                                              problem.b_column);
    });
    context.consume(1);
  }
  return make_kernel(context, std::move(problem), fusion, std::move(right));
}

}  // namespace wasmvino::ops
