// SPDX-License-Identifier: Apache-2.0
#include "ops/matrix/mat_mul.h"

#include <algorithm>
#include <limits>

#include "model/registry.h"
#include "ops/common/dispatch.h"
#include "ops/common/in_f32.h"

namespace wasmvino::ops::mat_mul {

// Multiply-adds that are worth a thread: some 20 µs of one.
constexpr size_t kGrain = size_t{1} << 14;

// Rows of an integer matmul: 64-bit sums that wrap; results of 8 and 16 bits are saturated.
template <typename T>
void multiply(const MatMulProblem& p, const T* a, const T* b, T* c, size_t first_row, size_t last_row) {
  constexpr size_t kColumns = 64;
  for (size_t i = first_row; i < last_row; ++i) {
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
  explicit IntegerKernel(MatMulProblem problem) : p_(std::move(problem)) {}

  void run(EvalContext& context) override {
    const size_t cost = std::max<size_t>(1, p_.n * p_.k);
    parallel_for(context.parallel(), p_.matrices * p_.m, kGrain / cost, [&](size_t begin, size_t end) {
      while (begin < end) {
        const size_t i = begin / p_.m, first = begin % p_.m, last = std::min(p_.m, first + end - begin);
        const MatrixPair pair = pair_of(p_, i);
        multiply(p_, context.input(0).data<T>() + pair.a * p_.m * p_.k,
                 context.input(1).data<T>() + pair.b * p_.k * p_.n,
                 context.output(0).mutable_data<T>() + i * p_.m * p_.n, first, last);
        begin += last - first;
      }
    });
  }

 private:
  MatMulProblem p_;
};

std::unique_ptr<Kernel> make_integer_kernel(ElementType type, MatMulProblem problem) {
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

void MatMul::visit_attributes(AttributeVisitor& visitor) {
  visitor.on("transpose_a", attributes_.transpose_a);
  visitor.on("transpose_b", attributes_.transpose_b);
}

void MatMul::infer(InferContext& context) const {
  context.expect_inputs(2);
  infer_mat_mul(context, attributes_);
}

std::unique_ptr<Kernel> MatMul::compile(CompileContext& context) const {
  const ElementType type = context.output_type(0);
  if (!is_real(type)) {
    return make_integer_kernel(
        type, make_mat_mul_problem(context.input_shape(0), context.input_shape(1), attributes_));
  }
  return compile_in_f32(context,
                        [&](CompileContext& inner) { return compile_mat_mul(inner, attributes_, {}); });
}

}  // namespace wasmvino::ops::mat_mul

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(mat_mul) {
  registry.add<mat_mul::MatMul>(
      {"MatMul", {1}, "matrix/matmul-1", {{"input 0", kNumbers}, {"input 1", kNumbers, 0}}});
}
}  // namespace wasmvino::ops
