// SPDX-License-Identifier: Apache-2.0
// Attention whose tensors may have another order of axes and whose heads may share keys and values in groups.
// Passes create it from ScaledDotProductAttention with Transposes around it or repeated heads before it.
#pragma once

#include <memory>

#include "ops/sequence/attention.h"

namespace wasmvino::ops {

class FusedAttention final : public Op {
 public:
  static constexpr std::string_view kType = "FusedAttention";

  FusedAttention(bool causal, AttentionOrders orders) : causal_(causal), orders_(std::move(orders)) {}

  // Inputs: those of ScaledDotProductAttention before Transposes and repetition. All are f32, except a
  // boolean mask and compressed keys and values. Errors name the ScaledDotProductAttention of the model.
  void infer(InferContext& context) const override;
  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return compile_attention(context, causal_, orders_);
  }

 private:
  bool causal_;
  AttentionOrders orders_;
};

}  // namespace wasmvino::ops
