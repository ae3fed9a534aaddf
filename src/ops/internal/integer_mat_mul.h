// SPDX-License-Identifier: Apache-2.0
// A matmul of quantised data and quantised weights, with the operations after it: bias, residual, activation
// and quantisation. Sums are exact.
#pragma once

#include <memory>

#include "ops/internal/integer_op.h"
#include "ops/internal/residual.h"
#include "ops/matrix/mat_mul_steps.h"
#include "ops/quantised_data/quantised_constant.h"

namespace wasmvino::ops {

struct IntegerMatMulParts {
  MatMulSpec spec;
  // A residual has the shape of the output. Only if residual and output are f32, may one be broadcast.
  MatMulFusion fusion;
  SharedQuantization output = nullptr;  // if absent, the output is f32
};

class IntegerMatMul final : public IntegerOpWithParts<IntegerMatMul, IntegerMatMulParts> {
 public:
  using IntegerOpWithParts::IntegerOpWithParts;
  static constexpr std::string_view kType = "IntegerMatMul";

  // Whether matmuls with such weights can be computed in integers: one scale and zero point per column of the
  // result, weights that fit s8 without their zero points, and few enough for exact sums.
  static bool takes(const MatMulSpec& spec, const QuantisedConstant& weights);

  bool can_store(const Node& node, const Quantization&) const {
    return !ops::may_broadcast(node, parts_.fusion);
  }

  // Inputs: u8 data [..., m, k], quantised weights, a constant bias [n], a residual in f32 or u8. Neither
  // data nor residual are quantised by channel. Errors name the original MatMul.
  void infer(InferContext& context) const override;
  std::unique_ptr<Kernel> compile(CompileContext& context) const override;
  bool can_overwrite(const CompileContext& context, size_t input, size_t) const override {
    return can_overwrite_residual(context, parts_.fusion.residual, input);
  }

 private:
  template <typename Context>
  bool may_broadcast(const Context& context) const {
    return parts_.fusion.residual && parts_.output == nullptr &&
           context.input_type(parts_.fusion.residual_input()) == ElementType::kF32;
  }
};

}  // namespace wasmvino::ops
