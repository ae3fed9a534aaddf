// SPDX-License-Identifier: Apache-2.0
// Rewrites of a graph before it is planned: one file per pass. Each leaves a valid, indexed model.
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

// Runs all passes over the model and the bodies inside it.
// Without `integers`, what a model has quantised is computed in f32 as it stands.
void run_passes(model::Model& model, const model::Registry& registry, bool integers = true);

// Has operations compute in f32 what the model has in f16 or bf16, as OpenVINO does where its precision is
// f32: each operation would convert its inputs and output anyway, and the roundings between them would add up.
// Inputs, results, stored values, variables and the inputs of bodies keep their types.
bool compute_f16_in_f32(model::Model& model, const model::Registry& registry);

// Moves constants that bodies read from outside into the bodies.
bool sink_constants(model::Model& model, const model::Registry& registry);

// Operations read quantised weights (f16, bf16 or integers of 4 or 8 bits, with scales and zero points) as the
// model stores them: MatMul becomes CompressedMatMul, Gather CompressedGather. Weights that another operation
// reads too are converted to f32 once for all.
bool keep_quantised_weights(model::Model& model, const model::Registry& registry);

// Quantised filters become a constant that still is what the model stores, with a scale and a zero point for
// each output channel.
bool keep_quantised_filters(model::Model& model, const model::Registry& registry);

// Inputs of operations that also read what the model stores (Op::quantised_inputs) become constants that still
// are what the model stores. To be run after keep_quantised_weights, which takes what MatMul and Gather read.
bool keep_quantised_inputs(model::Model& model, const model::Registry& registry);

// Replaces nodes whose inputs are all constant by their value, of whatever size: what is left for a plan is
// what depends on inputs. https://en.wikipedia.org/wiki/Constant_folding
bool fold_constants(model::Model& model, const model::Registry& registry);

// Hoists the MatMuls of slices with weights out of the bodies of TensorIterator and Loop: all slices are
// multiplied at once in front of them. So are the inputs of recurrent cells, which become ProjectedCells.
bool hoist_mat_muls(model::Model& model, const model::Registry& registry);

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

// Fuses the Transposes of its inputs and output into ScaledDotProductAttention: a FusedAttention.
bool fuse_attention_transposes(model::Model& model, const model::Registry& registry);

// Operations that say how they are simpler become that: Op::simplify().
bool simplify(model::Model& model, const model::Registry& registry);

// Batch norms become a product and a sum; products by channel before or behind a convolution become part of
// its filters.
bool fold_batch_norm(model::Model& model, const model::Registry& registry);

// Products by a number or by constant columns behind a MatMul, by constant rows in front of it, become part
// of its weights where nobody else reads these.
bool fold_scales(model::Model& model, const model::Registry& registry);

// Sums by channel behind a convolution, then a function of each element, become part of it: a
// FusedConvolution.
bool fuse_bias_activation(model::Model& model, const model::Registry& registry);

// Convolutions, and the operations between them that can (Op::channels_last_form), work on channels-last
// tensors. Transposes are left only where a chain of them begins or ends. Operations that read and write
// either layout (Op::edge_layouts) do that work themselves where nobody else needs it done.
bool channels_last(model::Model& model, const model::Registry& registry);

// A sum of a channels-last convolution and a tensor of a shape written alike becomes part of the convolution.
bool fuse_residual(model::Model& model, const model::Registry& registry);

// Sums by column behind a MatMul, a sum with a tensor of a shape written alike, then a function of each
// element, become part of it: a FusedMatMul.
bool fuse_mat_mul(model::Model& model, const model::Registry& registry);

// Convolutions whose data FakeQuantize has moved to 256 levels or fewer and whose filters are stored as integers are
// computed in integers, and so are sums and maxima of such data. Between them values stay u8.
bool compute_in_integers(model::Model& model, const model::Registry& registry);

// Chains of elementwise operations of f32, each read by the next one alone, become one ElementwiseChain,
// which goes over memory once. Operands that would repeat the chain's value end a chain.
bool fuse_elementwise_chain(model::Model& model, const model::Registry& registry);

}  // namespace wasmvino::passes
