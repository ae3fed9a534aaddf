// SPDX-License-Identifier: Apache-2.0
// Attention that reads and writes tensors in another order of axes, and whose heads share keys and values in
// groups: what passes make of ScaledDotProductAttention between Transposes and behind repeated heads.
#pragma once

#include <memory>

#include "ops/sequence/attention.h"

namespace wasmvino::ops {

class FusedAttention final : public Op {
 public:
  static constexpr std::string_view kType = "FusedAttention";

  FusedAttention(bool causal, AttentionOrders orders) : causal_(causal), orders_(std::move(orders)) {}

  // Inputs as those of ScaledDotProductAttention before their Transposes and repetition, all of f32 but a
  // boolean mask. Errors name the ScaledDotProductAttention of the model.
  void infer(InferContext& context) const override;
  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return compile_attention(context, causal_, orders_);
  }

 private:
  bool causal_;
  AttentionOrders orders_;
};

}  // namespace wasmvino::ops
