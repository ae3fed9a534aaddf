// SPDX-License-Identifier: Apache-2.0
// A matmul that also adds a bias per column and another tensor, and applies an activation. Passes create it
// from a MatMul and the nodes after it.
#pragma once

#include <memory>

#include "model/node.h"
#include "ops/internal/residual.h"
#include "ops/matrix/mat_mul_steps.h"

namespace wasmvino::ops {

class FusedMatMul final : public Op {
 public:
  static constexpr char kFamily = 0;
  bool is_a(const void* family) const override { return family == &kFamily; }
  static constexpr std::string_view kType = "FusedMatMul";

  FusedMatMul(MatMulSpec spec, MatMulFusion fusion) : spec_(spec), fusion_(fusion) {}

  // Inputs: both matrices, then a bias [n] and a residual if the fusion has them. All are f32. The matmul's
  // result and the residual are broadcast to each other by numpy's rule. Errors name the original MatMul.
  void infer(InferContext& context) const override;
  std::unique_ptr<Kernel> compile(CompileContext& context) const override;
  bool can_overwrite(const CompileContext& context, size_t input, size_t) const override {
    return can_overwrite_residual(context, fusion_.residual, input);
  }

 private:
  MatMulSpec spec_;
  MatMulFusion fusion_;
};

}  // namespace wasmvino::ops
