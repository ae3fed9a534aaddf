// SPDX-License-Identifier: Apache-2.0
// FusedMatMul with quantised weights. Passes create it from a MatMul and the dequantisation of its second
// input.
#pragma once

#include "ops/internal/residual.h"
#include "ops/matrix/mat_mul_steps.h"
#include "ops/quantised_data/compressed_weights.h"

namespace wasmvino::ops {

class CompressedMatMul final : public Op {
 public:
  static constexpr char kFamily = 0;
  bool is_a(const void* family) const override { return family == &kFamily; }
  static constexpr std::string_view kType = "CompressedMatMul";

  // `row_group`: elements of a row of data that are quantised together for an integer matmul; 0: the matmul
  // is computed in f32. If it is not 0, `transpose_a` is false and can_quantise_rows() true.
  explicit CompressedMatMul(const CompressedForm& form, bool transpose_a = false, MatMulFusion fusion = {},
                            size_t row_group = 0)
      : form_(form), transpose_a_(transpose_a), fusion_(fusion), row_group_(row_group) {}

  const CompressedForm& form() const { return form_; }
  bool transpose_a() const { return transpose_a_; }
  const MatMulFusion& fusion() const { return fusion_; }
  size_t row_group() const { return row_group_; }

  // Inputs: data f32 [..., m, k] or (`transpose_a`) [..., k, m], then the weights as CompressedForm defines
  // them, then a bias [n] and a residual if the fusion has them. Output: f32 [..., m, n]. As in MatMul, the
  // matrices of both inputs are broadcast by numpy's rule. The same rule applies to the matmul's result and
  // the residual. Errors name the original MatMul.
  void infer(InferContext& context) const override;
  std::unique_ptr<Kernel> compile(CompileContext& context) const override;
  bool can_overwrite(const CompileContext& context, size_t input, size_t) const override {
    return can_overwrite_residual(context, fusion_.residual, input);
  }

 private:
  CompressedForm form_;
  bool transpose_a_;
  MatMulFusion fusion_;
  size_t row_group_;
};

}  // namespace wasmvino::ops
