// SPDX-License-Identifier: Apache-2.0
// ScaledDotProductAttention: softmax(query key^T scale + mask) value. A sink is one more score of each row,
// of a key without a value.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/sequence/scaled-dot-product-attention.html
#pragma once

#include "model/op.h"

namespace wasmvino::ops::scaled_dot_product_attention {

struct AttentionAttributes {
  bool causal = false;
};

class ScaledDotProductAttention final
    : public OpWithAttributes<ScaledDotProductAttention, AttentionAttributes> {
 public:
  static constexpr std::string_view kType = "ScaledDotProductAttention";

  void visit_attributes(AttributeVisitor& visitor) override { visitor.on("causal", attributes_.causal); }

  void infer(InferContext& context) const override;

  std::unique_ptr<Kernel> compile(CompileContext& context) const override;
};

}  // namespace wasmvino::ops::scaled_dot_product_attention
