// SPDX-License-Identifier: Apache-2.0
// ScaledDotProductAttention: softmax(query key^T scale + mask) value.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/sequence/scaled-dot-product-attention.html
#include "model/registry.h"
#include "ops/common/attention.h"
#include "ops/common/in_f32.h"

namespace wasmvino::ops::scaled_dot_product_attention {

class ScaledDotProductAttention final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override { visitor.on("causal", causal_); }

  void infer(InferContext& context) const override { infer_attention(context, causal_); }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return compile_in_f32(context,
                          [&](CompileContext& inner) { return compile_attention(inner, causal_, {}); });
  }

 private:
  bool causal_ = false;
};

}  // namespace wasmvino::ops::scaled_dot_product_attention

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(scaled_dot_product_attention) {
  registry.add<scaled_dot_product_attention::ScaledDotProductAttention>(
      {"ScaledDotProductAttention",
       {13},
       "sequence/scaled-dot-product-attention",
       {{"query", kFloats},
        {"key", kFloats, 0},
        {"value", kFloats, 0},
        {"attention_mask", kFloats | kBoolean},
        {"scale", kFloats, 0}}});
}
}  // namespace wasmvino::ops
