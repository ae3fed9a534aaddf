// SPDX-License-Identifier: Apache-2.0
// MatMul: multiplies the matrices in the last two axes. The other axes are batch axes.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/matrix/matmul-1.html
#pragma once

#include "ops/matrix/mat_mul_steps.h"

namespace wasmvino::ops::mat_mul {

class MatMul final : public OpWithAttributes<MatMul, MatMulSpec> {
 public:
  static constexpr std::string_view kType = "MatMul";

  void visit_attributes(AttributeVisitor& visitor) override;

  void infer(InferContext& context) const override;

  std::unique_ptr<Kernel> compile(CompileContext& context) const override;
  InputRange quantised_inputs(const Node&) const override { return {0, 2}; }
};

}  // namespace wasmvino::ops::mat_mul
