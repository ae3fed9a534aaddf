// SPDX-License-Identifier: Apache-2.0
// A matmul that also adds a bias per column and another tensor, and applies an activation. It may quantise
// its data during the run. Passes create it from a MatMul and the nodes after it.
#pragma once

#include <memory>
#include <optional>

#include "model/node.h"
#include "ops/internal/residual.h"
#include "ops/matrix/mat_mul_steps.h"

namespace wasmvino::ops {

class FusedMatMul final : public Op {
 public:
  static constexpr char kFamily = 0;
  bool is_a(const void* family) const override { return family == &kFamily; }
  static constexpr std::string_view kType = "FusedMatMul";

  // `row_group`: elements of a row of data that are quantised together for an integer matmul; 0: the matmul
  // is computed in f32. If it is not 0, can_quantise_rows() is true for input 1.
  FusedMatMul(MatMulSpec spec, MatMulFusion fusion, size_t row_group = 0)
      : spec_(spec), fusion_(fusion), row_group_(row_group) {}

  const MatMulSpec& spec() const { return spec_; }
  const MatMulFusion& fusion() const { return fusion_; }
  size_t row_group() const { return row_group_; }

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
  size_t row_group_;
};

// The matmul that a node computes, either as in the model or as rewritten by passes; nullopt for other nodes.
struct MatMulView {
  MatMulSpec spec;
  MatMulFusion fusion = {};
  size_t row_group = 0;
};
std::optional<MatMulView> as_mat_mul(const Node& node);

}  // namespace wasmvino::ops
