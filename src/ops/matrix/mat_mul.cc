// SPDX-License-Identifier: Apache-2.0
#include "ops/matrix/mat_mul.h"

#include <algorithm>

#include "core/dispatch.h"
#include "kernels/wide_gemm.h"
#include "model/registry.h"
#include "ops/elements/in_f32.h"

namespace wasmvino::ops::mat_mul {

// Grain: multiply-adds in about 20 µs of work.
constexpr size_t kGrain = size_t{1} << 14;

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
        kernels::multiply_integers(
            context.input(0).data<T>() + pair.a * p_.m * p_.k + first * p_.a_row, p_.a_row, p_.a_k,
            context.input(1).data<T>() + pair.b * p_.k * p_.n, p_.b_k, p_.b_column,
            context.output(0).mutable_data<T>() + (i * p_.m + first) * p_.n, last - first, p_.n, p_.k);
        begin += last - first;
      }
    });
  }

  std::string method() const override { return "sums of 64 bits"; }

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
    case ElementType::kU32:  // wrapping sums have the same bits
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
