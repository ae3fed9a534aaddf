// SPDX-License-Identifier: Apache-2.0
#include "ops/sequence/scaled_dot_product_attention.h"

#include "model/registry.h"
#include "ops/elements/in_f32.h"
#include "ops/sequence/attention.h"

namespace wasmvino::ops::scaled_dot_product_attention {

void ScaledDotProductAttention::infer(InferContext& context) const {
  infer_attention(context, attributes_.causal);
}

std::unique_ptr<Kernel> ScaledDotProductAttention::compile(CompileContext& context) const {
  return compile_in_f32(
      context, [&](CompileContext& inner) { return compile_attention(inner, attributes_.causal, {}); });
}

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
        {"scale", kFloats, 0},
        {"sink", kFloats, 0}}});
}
}  // namespace wasmvino::ops
