// SPDX-License-Identifier: Apache-2.0
// MatMul: the matrix product of the last two axes, for all matrices that the other axes hold.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/matrix/matmul-1.html
#include <algorithm>
#include <limits>

#include "model/registry.h"
#include "ops/common/axes.h"
#include "ops/common/dispatch.h"
#include "ops/common/gemm.h"
#include "ops/common/in_f32.h"

namespace wasmvino::ops::mat_mul {

// Sizes and strides, in elements, of known shapes.
struct Problem {
  size_t m = 1, n = 1, k = 1;
  size_t a_row = 0, a_k = 0, b_k = 0, b_column = 0;
  size_t b_matrices = 1;  // in memory
  size_t matrices = 1;    // products
  Shape batch;            // axes of the products
  Ints a_batch, b_batch;  // strides along them, in matrices; 0 where one is used again
};

// A matrix at the end of a shape; a vector is a row (left) or a column (right) whatever the transposition
// says.
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

Problem make_problem(const Shape& a_shape, const Shape& b_shape, bool transpose_a, bool transpose_b) {
  const Operand a = operand(a_shape, transpose_a, true);
  const Operand b = operand(b_shape, transpose_b, false);
  Problem p;
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
    // All matrices of A, one below the other, are one.
    p.m *= product(a_shape, 0, a_axes);
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

// Which matrices of A and B make product i.
struct Pair {
  size_t a, b;
};

Pair pair_of(const Problem& p, size_t i) {
  Pair pair = {0, 0};
  for (size_t axis = p.batch.size(); axis-- > 0;) {
    const size_t at = i % static_cast<size_t>(p.batch[axis]);
    i /= static_cast<size_t>(p.batch[axis]);
    pair.a += at * static_cast<size_t>(p.a_batch[axis]);
    pair.b += at * static_cast<size_t>(p.b_batch[axis]);
  }
  return pair;
}

class F32Kernel final : public Kernel {
 public:
  F32Kernel(Problem problem, std::shared_ptr<const PackedMatrices> packed, size_t threads)
      : p_(std::move(problem)), packed_(std::move(packed)) {
    workers_ = gemm_parts(threads, p_.matrices * p_.m, p_.n, p_.k);
    // Many products are shared out whole.
    parts_ = p_.matrices >= workers_ ? 1 : workers_;
  }

  // Each thread that packs has a place of its own.
  size_t scratch_bytes() const {
    return packed_ != nullptr ? 0 : workers_ * kernels::kGemmScratchSize * sizeof(float);
  }

  void run(EvalContext& context) override {
    const size_t tasks = p_.matrices * parts_;
    parallel_for(context.parallel(), workers_, 1, [&](size_t first, size_t last) {
      for (size_t worker = first; worker < last; ++worker) {
        for (size_t task = tasks * worker / workers_; task < tasks * (worker + 1) / workers_; ++task) {
          compute(context, task / parts_, task % parts_, worker);
        }
      }
    });
  }

 private:
  void compute(EvalContext& context, size_t i, size_t part, size_t worker) const {
    const Pair pair = pair_of(p_, i);
    kernels::Gemm gemm{};
    gemm.m = p_.m;
    gemm.n = p_.n;
    gemm.k = p_.k;
    gemm.a = context.input(0).data<float>() + pair.a * p_.m * p_.k;
    gemm.a_row_stride = p_.a_row;
    gemm.a_k_stride = p_.a_k;
    gemm.c = context.output(0).mutable_data<float>() + i * p_.m * p_.n;
    gemm.c_row_stride = p_.n;
    if (packed_ != nullptr) {
      gemm_part(gemm, packed_->matrix(pair.b), part, parts_);
    } else {
      const float* b = context.input(1).data<float>() + pair.b * p_.k * p_.n;
      float* scratch = static_cast<float*>(context.scratch()) + worker * kernels::kGemmScratchSize;
      gemm_part(gemm, b, p_.b_k, p_.b_column, scratch, part, parts_);
    }
  }

  Problem p_;
  std::shared_ptr<const PackedMatrices> packed_;
  size_t workers_, parts_;
};

// Integers: sums of 64 bits that wrap; results of 8 and 16 bits are saturated.
template <typename T>
void multiply(const Problem& p, const T* a, const T* b, T* c) {
  constexpr size_t kColumns = 64;
  for (size_t i = 0; i < p.m; ++i) {
    for (size_t first = 0; first < p.n; first += kColumns) {
      const size_t width = std::min(kColumns, p.n - first);
      uint64_t sums[kColumns] = {};
      for (size_t k = 0; k < p.k; ++k) {
        const uint64_t left = static_cast<uint64_t>(a[i * p.a_row + k * p.a_k]);
        const T* right = b + k * p.b_k + first * p.b_column;
        for (size_t j = 0; j < width; ++j) sums[j] += left * static_cast<uint64_t>(right[j * p.b_column]);
      }
      for (size_t j = 0; j < width; ++j) {
        int64_t sum = static_cast<int64_t>(sums[j]);
        if constexpr (sizeof(T) <= 2) {
          sum = std::clamp<int64_t>(sum, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
        }
        c[i * p.n + first + j] = static_cast<T>(sum);
      }
    }
  }
}

template <typename T>
class IntegerKernel final : public Kernel {
 public:
  explicit IntegerKernel(Problem problem) : p_(std::move(problem)) {}

  void run(EvalContext& context) override {
    const size_t parts = gemm_parts(context.parallel().threads(), p_.m * p_.matrices, p_.n, p_.k);
    parallel_for(context.parallel(), p_.matrices, p_.matrices / parts, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        const Pair pair = pair_of(p_, i);
        multiply(p_, context.input(0).data<T>() + pair.a * p_.m * p_.k,
                 context.input(1).data<T>() + pair.b * p_.k * p_.n,
                 context.output(0).mutable_data<T>() + i * p_.m * p_.n);
      }
    });
  }

 private:
  Problem p_;
};

std::unique_ptr<Kernel> make_integer_kernel(ElementType type, Problem problem) {
  switch (type) {
    case ElementType::kI8:
      return std::make_unique<IntegerKernel<int8_t>>(std::move(problem));
    case ElementType::kU8:
      return std::make_unique<IntegerKernel<uint8_t>>(std::move(problem));
    case ElementType::kI16:
      return std::make_unique<IntegerKernel<int16_t>>(std::move(problem));
    case ElementType::kU16:
      return std::make_unique<IntegerKernel<uint16_t>>(std::move(problem));
    case ElementType::kI32:
    case ElementType::kU32:  // wrapped sums have the same bits
      return std::make_unique<IntegerKernel<int32_t>>(std::move(problem));
    case ElementType::kI64:
    case ElementType::kU64:
      return std::make_unique<IntegerKernel<int64_t>>(std::move(problem));
    default:
      refuse_type(type);
  }
}

class MatMul final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("transpose_a", transpose_a_);
    visitor.on("transpose_b", transpose_b_);
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(2);
    const ElementType type = context.input_type(0);
    const ElementType b_type = context.input_type(1);
    for (size_t i = 0; i < 2; ++i) {
      const ElementType t = context.input_type(i);
      if (t != ElementType::kDynamic && !is_real(t) && !is_integral(t)) {
        throw Error(ErrorCode::kInvalidType,
                    cat("input ", i, " has element type ", t, ", expected a numeric type"))
            .port(cat("input ", i))
            .actual(cat(t));
      }
    }
    if (type != b_type && type != ElementType::kDynamic && b_type != ElementType::kDynamic) {
      throw Error(ErrorCode::kInvalidType, cat("input 0 has element type ", type, ", input 1 ", b_type))
          .port("input 1")
          .expected(cat(type))
          .actual(cat(b_type));
    }
    const PartialShape& a = context.input_shape(0);
    const PartialShape& b = context.input_shape(1);
    for (size_t i = 0; i < 2; ++i) {
      const PartialShape& shape = context.input_shape(i);
      if (shape.has_rank() && shape.rank() == 0) {
        throw Error(ErrorCode::kInvalidShape, cat("input ", i, " is a scalar, expected one axis or more"))
            .port(cat("input ", i));
      }
    }
    context.set_output(0, type == ElementType::kDynamic ? b_type : type,
                       a.has_rank() && b.has_rank() ? output_shape(a, b) : PartialShape());
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    const ElementType type = context.output_type(0);
    if (!is_real(type)) {
      return make_integer_kernel(
          type, make_problem(context.input_shape(0), context.input_shape(1), transpose_a_, transpose_b_));
    }
    return compile_in_f32(context, [&](CompileContext& inner) -> std::unique_ptr<Kernel> {
      Problem problem = make_problem(inner.input_shape(0), inner.input_shape(1), transpose_a_, transpose_b_);
      std::shared_ptr<const PackedMatrices> packed;
      if (inner.input(1).constant != nullptr) {
        const std::string key = cat("b ", problem.b_matrices, " ", problem.k, " ", problem.n, " ", problem.b_k);
        packed = inner.shared<PackedMatrices>(1, key, [&] {
          return std::make_shared<PackedMatrices>(inner.constant(1)->data<float>(), problem.b_matrices,
                                                  problem.k * problem.n, problem.k, problem.n, problem.b_k,
                                                  problem.b_column);
        });
        inner.consume(1);
      }
      const size_t threads = inner.parallel().threads();
      auto kernel = std::make_unique<F32Kernel>(std::move(problem), std::move(packed), threads);
      inner.request_scratch(kernel->scratch_bytes());
      return kernel;
    });
  }

 private:
  PartialShape output_shape(const PartialShape& a, const PartialShape& b) const {
    const size_t a_rank = a.rank(), b_rank = b.rank();
    const size_t a_k = a_rank == 1 || !transpose_a_ ? a_rank - 1 : a_rank - 2;
    const size_t b_k = b_rank == 1 ? 0 : transpose_b_ ? b_rank - 1 : b_rank - 2;
    if (!a[a_k].compatible(b[b_k])) {
      throw Error(ErrorCode::kInvalidShape, cat("axis ", a_k, " of input 0 ", a, " is ", a[a_k], ", axis ",
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
      throw Error(ErrorCode::kInvalidShape, cat("the matrices of input 0 ", a, " and of input 1 ", b,
                                                " do not pair up: ", a_batch, " and ", b_batch))
          .port("input 1")
          .expected(to_string(a_batch))
          .actual(to_string(b_batch));
    }
    if (a_rank > 1) shape->push_back(a[transpose_a_ ? a_rank - 1 : a_rank - 2]);
    if (b_rank > 1) shape->push_back(b[transpose_b_ ? b_rank - 2 : b_rank - 1]);
    return *shape;
  }

  bool transpose_a_ = false;
  bool transpose_b_ = false;
};

}  // namespace wasmvino::ops::mat_mul

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(mat_mul) { registry.add<mat_mul::MatMul>({"MatMul", {1}, "matrix/matmul-1"}); }
}  // namespace wasmvino::ops
