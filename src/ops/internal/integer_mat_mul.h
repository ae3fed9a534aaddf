// SPDX-License-Identifier: Apache-2.0
// A matmul of quantised data by quantised weights, with what stands behind it: bias, residual, activation and
// quantisation. Sums are exact.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "model/node.h"
#include "ops/internal/residual.h"
#include "ops/matrix/mat_mul_steps.h"
#include "ops/quantised_data/compressed_weights.h"
#include "ops/quantised_data/quantization.h"

namespace wasmvino::ops {

class IntegerMatMul final : public Op {
 public:
  static constexpr char kFamily = 0;
  bool is_a(const void* family) const override { return family == &kFamily; }
  static constexpr std::string_view kType = "IntegerMatMul";

  // Weights [n][k] by which the data are multiplied: (value - zero point) * scale.
  struct Weights {
    CompressedForm form;  // where elements lie in the constant
    std::vector<float> scales,
        zero_points;  // per column; zero points are empty, or of values as packed (shift_of)
  };
  struct Parts {
    Weights weights;
    MatMulFusion fusion;  // a residual has the shape of the output
    Quantization data;    // as a whole
    // Of u8 residuals, which are not quantised by channel; others are f32.
    std::optional<Quantization> residual = {};
    // Without it the output is f32.
    std::optional<Quantization> output = {};
  };
  explicit IntegerMatMul(Parts parts) : parts_(std::move(parts)) {}
  const Parts& parts() const { return parts_; }

  // Whether the weights without their zero points are s8, and few enough for exact sums.
  static bool takes(const Weights& weights, const TensorView& values);

  // Inputs: data of u8 [..., m, k], the constant of the weights' values, a constant bias [n], a residual.
  // Errors name the MatMul that this was made from.
  void infer(InferContext& context) const override;
  std::unique_ptr<Kernel> compile(CompileContext& context) const override;
  bool can_overwrite(const CompileContext& context, size_t input, size_t) const override {
    return can_overwrite_residual(context, parts_.fusion.residual, input);
  }

 private:
  Parts parts_;
};

}  // namespace wasmvino::ops
