// SPDX-License-Identifier: Apache-2.0
// softmax(query key^T scale + mask) value: what ScaledDotProductAttention and FusedAttention share.
#pragma once

#include <memory>

#include "model/op.h"
#include "ops/quantised_data/compressed_rows.h"

namespace wasmvino::ops {

// How tensors lie in memory: that of the operation is the transpose of the input by its order, and the output
// is the transpose of the operation's result. Empty: as it is.
struct AttentionOrders {
  Ints query, key, value;
  Ints output;  // its last axis is that of the result
  // How often each matrix of key or value is used in a row along the axis in front of the matrices: grouped
  // heads.
  size_t key_repeats = 1, value_repeats = 1;
  // Keys and values may be those of compressed variables.
  VariablePrecision key_precision = VariablePrecision::kF32, value_precision = VariablePrecision::kF32;
};

// Inputs: query [.., L, E], key [.., S, E], value [.., S, W] after their orders, then an optional mask
// [.., L, S], an optional scale of one element and an optional sink [.., L, 1]; the output is [.., L, W]
// before its order.
void infer_attention(InferContext& context, bool causal);

// The kernel for tensors of f32, or compressed keys and values; the mask may be boolean.
std::unique_ptr<Kernel> compile_attention(CompileContext& context, bool causal,
                                          const AttentionOrders& orders);

}  // namespace wasmvino::ops
