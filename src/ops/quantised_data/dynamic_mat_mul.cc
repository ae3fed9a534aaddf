// SPDX-License-Identifier: Apache-2.0
#include "ops/quantised_data/dynamic_mat_mul.h"

#include <algorithm>

#include "core/parallel.h"
#include "kernels/dynamic_gemm.h"
#include "ops/quantised_data/quantised_matrices.h"

namespace wasmvino::ops {
namespace {

// Grain: with fewer multiply-adds, or fewer elements to quantise, a second thread costs more than it saves.
// 2^17 multiply-adds of one row take 7 to 10 us if the weights come from memory. With 2^19 and one panel at a
// time, two threads took 16.4 ms for a token of a language model with 135M parameters. With 2^17 and four
// panels, they take 10.0.
constexpr size_t kGrain = size_t{1} << 17, kQuantisationGrain = size_t{1} << 14;

// Rows per part. They stay in the second-level cache while all panels of weights are applied to them.
constexpr size_t kPartRows = 96;

// With more rows, dot products of i16 are slower than weights dequantised to f32: 128 rows of a language
// model with 135M parameters took 980 to 1,450 ms instead of 740 to 850.
constexpr size_t kMostPairRows = 48;

// As in OpenVINO, whose vectors have 16 elements.
constexpr size_t kGroupMultiple = 16;

class DynamicMatMulKernel final : public Kernel {
 public:
  DynamicMatMulKernel(std::shared_ptr<const QuantisedMatrices> weights, size_t m, size_t group,
                      const MatMulFusion& fusion)
      : weights_(std::move(weights)),
        how_{kernels::integer_dot(), weights_->matrix().k, group},
        m_(m),
        n_(weights_->matrix().n),
        fusion_(fusion),
        values_(CheckedSize(m) * kernels::integer_row_size(how_.dot, how_.k)),
        groups_(CheckedSize(m) * how_.groups()) {}

  CheckedSize scratch_bytes() const { return 2 * sizeof(float) * groups_ + values_; }

  void run(EvalContext& context) override {
    const Parallel& parallel = context.parallel();
    const kernels::DynamicGemm gemm = gemm_of(context);
    const float* data = context.input(0).data<float>();
    parallel_for(parallel, m_, grain(kQuantisationGrain, how_.k), [&](size_t first, size_t last) {
      kernels::quantise_rows(how_, data, how_.k, {first, last}, gemm.a);
    });
    const kernels::QuantisedMatrix& matrix = weights_->matrix();
    const size_t panels = (n_ + kPanelColumns - 1) / kPanelColumns;
    const size_t parts = (m_ + kPartRows - 1) / kPartRows;
    const size_t work = saturating_product(std::min(m_, kPartRows), how_.k, kPanelColumns);
    // A task is one panel for one part of the rows. Tasks of the same part are adjacent.
    parallel_for(parallel, panels * parts, grain(kGrain, work), [&](size_t first, size_t last) {
      while (first < last) {
        const size_t part = first / panels, end = std::min(last, (part + 1) * panels);
        const kernels::Range rows = {part_begin(m_, part, parts), part_begin(m_, part + 1, parts)};
        const kernels::Range columns = {first % panels * kPanelColumns,
                                        std::min(n_, (end - part * panels) * kPanelColumns)};
        kernels::dynamic_gemm(gemm, matrix, rows, columns);
        first = end;
      }
    });
  }

  std::string method() const override {
    return cat(
        "i8 data, quantised in groups of ", how_.group, ", ",
        how_.dot == kernels::IntegerDot::kPairs ? "dot products of i16" : "relaxed dot products of i8");
  }

 private:
  static size_t grain(size_t worth, size_t work) {
    return std::max<size_t>(1, worth / std::max<size_t>(1, work));
  }

  kernels::DynamicGemm gemm_of(EvalContext& context) const {
    auto* scales = static_cast<float*>(context.scratch());
    auto* sums = reinterpret_cast<int32_t*>(scales + groups_.value());
    auto* values = reinterpret_cast<char*>(sums + groups_.value());
    kernels::DynamicGemm gemm = {
        how_, {values, scales, sums}, context.output(0).mutable_data<float>(), n_, {}};
    gemm.epilogue.activate(fusion_.activation);
    if (fusion_.bias) gemm.epilogue.bias = context.input(fusion_.bias_input()).data<float>();
    if (fusion_.residual) {
      gemm.epilogue.residual = {nullptr, context.input(fusion_.residual_input()).data<float>(), n_};
    }
    return gemm;
  }

  std::shared_ptr<const QuantisedMatrices> weights_;
  kernels::RowQuantization how_;
  size_t m_, n_;
  MatMulFusion fusion_;
  CheckedSize values_, groups_;  // for all rows: bytes of the integers, and number of groups
};

}  // namespace

bool can_quantise_rows(const QuantisedConstant& weights, const MatMulSpec& spec, size_t group) {
  if (spec.transpose_a || weights.shape().size() < 2) return false;
  const MatrixForm form = matrix_form(weights, !spec.transpose_b);
  const ElementType type = weights.stored_type();
  const bool is_unsigned = type == ElementType::kU4 || type == ElementType::kU8;
  const bool is_symmetric = (type == ElementType::kI4 || type == ElementType::kI8) && !form.has_zero_points;
  if ((!is_unsigned && !is_symmetric) || form.has_columns()) return false;
  if (element_count(weights.shape()) != form.n * form.k) return false;  // several matrices
  if (group == 0 || group % kGroupMultiple != 0 || group > kernels::kMostDynamicGroup) return false;
  if (group > form.group || form.k % kernels::kDynamicDepth != 0) return false;
  return form.group % group == 0 || form.group == form.k;
}

std::unique_ptr<Kernel> compile_dynamic_mat_mul(CompileContext& context, const MatMulSpec& spec, size_t group,
                                                const MatMulFusion& fusion) {
  const MatMulProblem problem = make_mat_mul_problem(context.input_shape(0), context.input_shape(1), spec);
  const size_t m = (CheckedSize(problem.matrices) * problem.m).value();
  if (m > kMostPairRows && kernels::integer_dot() == kernels::IntegerDot::kPairs)
    return compile_mat_mul(context, spec, fusion);
  auto weights = quantised_matrices(context, 1, {0, problem.b_k, problem.b_column, problem.k, problem.n});
  context.consume(1);
  auto kernel = std::make_unique<DynamicMatMulKernel>(std::move(weights), m, group, fusion);
  context.request_scratch(kernel->scratch_bytes());
  return kernel;
}

}  // namespace wasmvino::ops
