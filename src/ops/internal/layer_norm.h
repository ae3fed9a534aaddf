// SPDX-License-Identifier: Apache-2.0
// Layer norm and RMS norm along the last axis, in one pass over memory. Passes make them from their
// decomposed forms. https://arxiv.org/abs/1607.06450, https://arxiv.org/abs/1910.07467
#pragma once

#include <memory>

#include "model/op.h"

namespace wasmvino::ops {

struct LayerNormSpec {
  bool centered = true;  // (x - mean) / sqrt(variance + epsilon); else x / sqrt(mean of squares + epsilon)
  float epsilon = 0.0f;
  bool gamma = false;  // has the input gamma, a factor
  bool beta = false;   // has the input beta, added last

  size_t input_count() const { return 1 + (gamma ? 1 : 0) + (beta ? 1 : 0); }
};

class LayerNorm final : public Op {
 public:
  static constexpr std::string_view kType = "LayerNorm";

  explicit LayerNorm(const LayerNormSpec& spec) : spec_(spec) {}

  // Inputs: data [.., n], gamma [n], beta [n], all of f32.
  void infer(InferContext& context) const override;
  std::unique_ptr<Kernel> compile(CompileContext& context) const override;
  bool can_overwrite(const CompileContext&, size_t input, size_t) const override { return input == 0; }

 private:
  LayerNormSpec spec_;
};

}  // namespace wasmvino::ops
