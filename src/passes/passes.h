// SPDX-License-Identifier: Apache-2.0
// Rewrites of a graph before it is planned. One idea a file; each pass leaves a valid, indexed model.
#pragma once

#include <span>
#include <string_view>

#include "model/registry.h"

namespace wasmvino::passes {

struct Pass {
  std::string_view name;
  // Rewrites one model, not its bodies. True where it changed something.
  bool (*run)(model::Model& model, const model::Registry& registry);
};

// In the order in which they run.
std::span<const Pass> all_passes();

// Runs all passes over the model and the bodies inside it.
void run_passes(model::Model& model, const model::Registry& registry);

// Lets operations compute in f32 what the model has in f16 or bf16, as OpenVINO does where its precision is
// f32: they would be converted around each operation anyway, and rounding between all of them would only add
// up. Inputs, results, stored values, variables and what bodies are given keep their types.
bool compute_halves_in_f32(model::Model& model, const model::Registry& registry);

// What bodies read of constants outside moves into them.
bool sink_constants(model::Model& model, const model::Registry& registry);

// Products with weights that the model stores in f16, bf16 or integers of 4 or 8 bits, with scales and zero
// points, and rows of such tables, read them as they are stored: MatMul becomes CompressedMatMul, Gather
// CompressedGather. Nothing then expands the weights, unless somebody else reads them too.
bool keep_compressed_weights(model::Model& model, const model::Registry& registry);

// Filters that the model stores so: they become a constant that still is what the model stores, with a scale
// and a zero point for each output channel.
bool keep_compressed_filters(model::Model& model, const model::Registry& registry);

// Weights of recurrent operations and of GroupedMatMul, and tables of which operations read some rows, become
// constants that still are what the model stores: those operations read it. To be run behind
// keep_compressed_weights, which takes what MatMul and Gather read.
bool keep_compressed_inputs(model::Model& model, const model::Registry& registry);

// Replaces nodes whose inputs are all constant by their value, of whatever size: what is left for a plan is
// what depends on inputs. https://en.wikipedia.org/wiki/Constant_folding
bool fold_constants(model::Model& model, const model::Registry& registry);

// Products of slices with weights, in bodies of TensorIterator and Loop, are computed for all slices at once
// in front of them: MatMul, and the inputs of recurrent cells, which become ProjectedCells.
bool lift_products(model::Model& model, const model::Registry& registry);

// Recurrent cells whose input is rows of a constant table gather rows of the table's product with W instead.
bool project_tables(model::Model& model, const model::Registry& registry);

// Activations in decomposed forms become the operation: Gelu (by erf and by tanh), Swish, HSwish, HSigmoid,
// SoftPlus, Mish.
bool fuse_activations(model::Model& model, const model::Registry& registry);

// Exponentials of differences to the maximum, over their sum, become Softmax.
bool fuse_softmax(model::Model& model, const model::Registry& registry);

// Differences to the mean along the last axis over the root of their mean square, values over the root of
// their mean square, and MVN, with what they are multiplied by and what is added, become one LayerNorm.
bool fuse_layer_norm(model::Model& model, const model::Registry& registry);

// softmax(query key^T scale + mask) value becomes ScaledDotProductAttention, which keeps no scores in memory.
bool fuse_attention(model::Model& model, const model::Registry& registry);

// ScaledDotProductAttention reads what its Transposes read, and writes what the one behind it writes: a
// FusedAttention.
bool fuse_attention_moves(model::Model& model, const model::Registry& registry);

// Drops Transposes in the same order, Reshapes to the same shape and Converts to the same type; a Transpose
// of a Transpose becomes one.
bool drop_moves(model::Model& model, const model::Registry& registry);

// Batch norms become a product and a sum; products by channel before or behind a convolution become part of
// its filters.
bool fold_batch_norm(model::Model& model, const model::Registry& registry);

// Products by a number or by constant columns behind a MatMul, by constant rows in front of it, become part
// of its weights where nobody else reads these.
bool fold_scales(model::Model& model, const model::Registry& registry);

// Sums by channel behind a convolution, then a function of each element, become part of it: a
// FusedConvolution.
bool fuse_bias_activation(model::Model& model, const model::Registry& registry);

// Convolutions, and what stands between them, work on channels-last tensors; Transposes are left only where a
// chain of them begins or ends, and there convolutions and pooling do that work themselves if nobody else
// needs it done.
bool channels_last(model::Model& model, const model::Registry& registry);

// A sum of a channels-last convolution and a tensor of a shape written alike becomes part of the convolution.
bool fuse_residual(model::Model& model, const model::Registry& registry);

// Sums by column behind a MatMul, a sum with a tensor of a shape written alike, then a function of each
// element, become part of it: a FusedMatMul.
bool fuse_mat_mul(model::Model& model, const model::Registry& registry);

// Chains of elementwise operations of f32, each read by the next one alone, become one ElementwiseChain,
// which goes over memory once. Operands that would repeat the chain's value end a chain.
bool fuse_elementwise_chain(model::Model& model, const model::Registry& registry);

}  // namespace wasmvino::passes
