// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/compressed_mat_mul.h"

#include <algorithm>

#include "model/node.h"
#include "ops/common/axes.h"
#include "ops/common/gemm.h"
#include "ops/internal/residual.h"

namespace wasmvino::ops {
namespace {

class CompressedProduct final : public Kernel {
 public:
  CompressedProduct(CompressedWeights weights, const CompressedForm& form, const MatMulFusion& fusion,
                    size_t m, size_t parts)
      : weights_(std::move(weights)),
        fusion_(fusion),
        first_fused_(1 + form.input_count()),
        n_(form.n),
        k_(form.k),
        m_(m),
        parts_(parts) {}

  size_t scratch_bytes(size_t threads) const {
    return std::min(parts_, threads) * kernels::block_scratch_size(m_) * sizeof(float);
  }

  void run(EvalContext& context) override {
    const kernels::CompressedMatrix b = weights_.matrix(context);
    kernels::Gemm gemm{};
    gemm.m = m_;
    gemm.n = n_;
    gemm.k = gemm.a_row_stride = k_;
    gemm.a = context.input(0).data<float>();
    gemm.c = context.output(0).mutable_data<float>();
    gemm.c_row_stride = n_;
    gemm.epilogue.activation = fusion_.activation;
    size_t fused = first_fused_;
    if (fusion_.bias) gemm.epilogue.bias = context.input(fused++).data<float>();
    if (fusion_.residual) {
      gemm.epilogue.residual = context.input(fused).data<float>();
      gemm.epilogue.residual_stride = n_;
    }
    float* scratch = static_cast<float*>(context.scratch());
    parallel_for(context.parallel(), parts_, 1, [&](size_t first, size_t last, size_t thread) {
      for (size_t part = first; part < last; ++part) {
        gemm_part(gemm, b, scratch + thread * kernels::block_scratch_size(m_), part, parts_);
      }
    });
  }

 private:
  CompressedWeights weights_;
  MatMulFusion fusion_;
  size_t first_fused_, n_, k_, m_, parts_;
};

}  // namespace

void CompressedMatMul::infer(InferContext& context) const {
  try {
    if (fusion_.residual) return infer_residual(context, CompressedMatMul(form_, fusion_.product()));
    const PartialShape& data = context.input_shape(0);
    PartialShape output;
    if (data.has_rank()) {
      if (data.rank() == 0) fail(ErrorCode::kInvalidShape, "input 0 is a scalar, expected one axis or more");
      const Dimension last = data[data.rank() - 1], depth = static_cast<int64_t>(form_.k);
      if (!last.compatible(depth)) {
        throw Error(ErrorCode::kInvalidShape, cat("axis ", data.rank() - 1, " of input 0 ", data, " is ",
                                                  last, ", input 1 has ", depth))
            .port("input 1")
            .expected(to_string(last))
            .actual(to_string(depth));
      }
      output = data;
      output[data.rank() - 1] = static_cast<int64_t>(form_.n);
    }
    context.set_output(0, ElementType::kF32, output);
  } catch (Error& error) {
    const Node& node = context.node();
    error.at_layer(node.name, "MatMul", node.id, 1, node.line);
    throw;
  }
}

std::unique_ptr<Kernel> CompressedMatMul::compile(CompileContext& context) const {
  if (fusion_.residual) {
    const CompressedMatMul product(form_, fusion_.product());
    if (auto kernel = compile_broadcast_residual(context, product, fusion_.activation)) return kernel;
  }
  const Shape data = context.input_shape(0);
  const size_t m = product(data, 0, data.size() - 1);
  const size_t threads = context.parallel().threads();
  const size_t parts = gemm_parts(threads, m, form_.n, form_.k);
  auto kernel =
      std::make_unique<CompressedProduct>(CompressedWeights(context, 1, form_), form_, fusion_, m, parts);
  context.request_scratch(kernel->scratch_bytes(threads));
  return kernel;
}

}  // namespace wasmvino::ops
