// SPDX-License-Identifier: Apache-2.0
// Passes rewrite a graph before it is planned. There is one file per pass. Each pass leaves a valid, indexed
// model.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "model/registry.h"

namespace wasmvino::passes {

struct Pass {
  std::string_view name;
  // Rewrites one model, not its bodies. Returns whether it changed something.
  bool (*run)(model::Model& model, const model::Registry& registry);
};

struct PassOptions {
  // If false, quantised networks run in f32: each FakeQuantize is computed as the model specifies.
  bool integers = true;
  // Number of elements of a row that share a scale when data are quantised for a matmul with quantised
  // weights. 0: data are not quantised.
  size_t row_group = 0;
  // How variables with keys and values are kept between runs.
  model::CachePrecision cache_precision = {};
  // Names of passes that do not run, separated by commas.
  std::string_view skipped = {};
};

// For language models, before all passes: the output `logits` contains the last position only, [batch, 1,
// tokens] instead of [batch, positions, tokens]. The MatMul that computes it then has one row per sequence.
// OpenVINO GenAI does the same when it loads a model: https://github.com/openvinotoolkit/openvino.genai
// (apply_slice_before_matmul_transformation). Throws Error(kInvalidArgument) if there is no such output or no
// such MatMul. Index and infer the model afterwards.
void keep_last_logits(model::Model& model, const model::Registry& registry);

// The names of all passes, in the order in which they first run.
std::vector<std::string_view> pass_names();

// The names in a list like PassOptions::skipped. Throws Error(kInvalidArgument), which lists all names, if
// one of them is not a pass.
std::vector<std::string_view> parse_pass_names(std::string_view list);

// Runs all passes over the model and the bodies inside it, except those that are skipped. Throws what
// parse_pass_names() throws.
void run_passes(model::Model& model, const model::Registry& registry, const PassOptions& options = {});

// Lets f16 and bf16 operations compute in f32, as OpenVINO does with the precision f32. Each operation would
// convert its inputs and output anyway, and rounding errors between operations would add up. Inputs, results,
// constants, variables, and what bodies read and return keep their types.
bool compute_f16_in_f32(model::Model& model, const model::Registry& registry);

// Moves outer constants that bodies read into the bodies.
bool sink_constants(model::Model& model, const model::Registry& registry);

// Turns f16 and bf16 parameters and results of bodies into f32 ones, with conversions on both sides, which
// compute_f16_in_f32 removes. Their loops would otherwise convert states and slices in each iteration.
bool widen_bodies(model::Model& model, const model::Registry& registry);

// Turns quantised weights (f16, bf16, or types of 8 bits and fewer, with scales and zero points) into
// constants that stay quantised, for operations that accept them (Op::quantised_inputs). Weights with other
// users are converted to f32 once.
bool keep_quantised_constants(model::Model& model, const model::Registry& registry);

// Replaces nodes whose inputs are all constant by their values. The size of a value is not limited.
// https://en.wikipedia.org/wiki/Constant_folding
bool fold_constants(model::Model& model, const model::Registry& registry);

// Hoists MatMuls of a slice and weights out of the bodies of TensorIterator and Loop: one MatMul before the
// loop multiplies all slices. The same happens to the inputs of recurrent cells, which become ProjectedCells.
bool hoist_mat_muls(model::Model& model, const model::Registry& registry);

// If the input of a recurrent cell consists of rows of a constant table, multiplies the table by W once. The
// cell then gathers rows of that matmul instead.
bool project_tables(model::Model& model, const model::Registry& registry);

// Fuses decomposed activations: Gelu (erf and tanh), Swish, HSwish, HSigmoid, SoftPlus, Mish.
bool fuse_activations(model::Model& model, const model::Registry& registry);

// Fuses a decomposed Softmax: exponentials of the differences from the maximum, divided by their sum.
bool fuse_softmax(model::Model& model, const model::Registry& registry);

// Fuses a decomposed LayerNorm or RMS norm along the last axis, or an MVN, with the multiplication and the
// addition after it into one LayerNorm.
bool fuse_layer_norm(model::Model& model, const model::Registry& registry);

// Fuses x cos + concat(-second half of x, first half of x) sin, by the halves of the last axis, into a
// RotaryEmbedding.
bool fuse_rotary(model::Model& model, const model::Registry& registry);

// Fuses softmax(query key^T scale + mask) value into ScaledDotProductAttention, which does not store the
// scores in memory.
bool fuse_attention(model::Model& model, const model::Registry& registry);

// Keeps the keys and values of attention, which variables collect position by position, in the order [batch,
// positions, heads, width]. The variables of a single sequence then grow in place (runtime/variables.h), and
// a Gather by beams of one sequence is a view. Variables that only attention reads are kept in the
// precision `wanted`. Not for bodies: requests know the forms of variables from the outer model only.
bool lay_out_caches(model::Model& model, const model::Registry& registry, model::CachePrecision wanted = {});

// Fuses ScaledDotProductAttention with the Transposes of its inputs and output, and with the repetition of
// keys and values for groups of heads. The result is a FusedAttention.
bool fuse_attention_transposes(model::Model& model, const model::Registry& registry);

// Replaces values by cheaper equal ones: Op::simplify().
bool simplify(model::Model& model, const model::Registry& registry);

// Turns each batch norm into a multiplication and an addition. Folds multiplications per channel before or
// after a convolution into its filters.
bool fold_batch_norm(model::Model& model, const model::Registry& registry);

// Folds multiplications by a number or by constant columns after a MatMul, or by constant rows before it,
// into its weights if these have no other users.
bool fold_scales(model::Model& model, const model::Registry& registry);

// Fuses an addition per channel and an activation after a convolution into a FusedConvolution.
bool fuse_bias_activation(model::Model& model, const model::Registry& registry);

// Lets convolutions, and operations between them that can (Op::channels_last_form), work on NHWC tensors.
// Transposes remain only where such a chain begins or ends. Operations that read and write either layout
// (Op::edge_layouts) absorb them if there are no other users. `integers`: whether quantised networks are
// computed in integers.
bool channels_last(model::Model& model, const model::Registry& registry, bool integers = true);

// Fuses the sum of an NHWC convolution and a tensor of the same declared shape into the convolution.
bool fuse_residual(model::Model& model, const model::Registry& registry);

// Fuses an addition per column after a MatMul, an addition of a tensor of the same declared shape, and an
// activation into a FusedMatMul.
bool fuse_mat_mul(model::Model& model, const model::Registry& registry);

// Computes convolutions and matmuls in integers if FakeQuantize reduces their data to 256 levels or fewer and
// their weights are integers. Elementwise functions, pooling, means and matmuls of such data, and copies of
// their elements, are computed from bytes too.
bool compute_in_integers(model::Model& model, const model::Registry& registry);

// If all users of a value that is computed in integers quantise it in the same way, the operation that
// computes it stores these levels instead of f32. A value halfway between two levels may then be rounded to
// the other one, because the store multiplies once: by the product of two scales.
bool store_levels(model::Model& model, const model::Registry& registry);

// Lets matmuls with quantised weights quantise their data during the run, in groups of `group` elements of a
// row, and multiply integers. can_quantise_rows() decides which matmuls do so.
bool quantise_rows(model::Model& model, size_t group);

// Fuses a chain of f32 elementwise operations, each with the next one as its only user, into one
// ElementwiseChain, which processes memory once. A chain ends before an operand that would repeat its value.
bool fuse_elementwise_chain(model::Model& model, const model::Registry& registry);

}  // namespace wasmvino::passes
