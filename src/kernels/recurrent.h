// SPDX-License-Identifier: Apache-2.0
// The elementwise part of recurrent cells, for one row of the batch. Gate sums (input and state times
// weights, plus biases) come from gemm. Gates are in the order of the IR's weights, or in any other order
// given by offsets.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/sequence/lstm-cell-4.html
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/sequence/gru-cell-3.html
#pragma once

#include <cstddef>
#include <limits>

#include "kernels/unary.h"

namespace wasmvino::kernels {

inline constexpr float kNoClip = std::numeric_limits<float>::infinity();

struct LstmCell {
  size_t hidden;
  UnaryFunction f = {Unary::kSigmoid}, g = {Unary::kTanh}, h = {Unary::kTanh};
  float clip = kNoClip;  // sums are clamped to -clip .. clip before f and g
  // Start of each gate's sums, in units of `hidden`. The IR's order is f, i, c, o.
  size_t forget = 0, input = 1, cell = 2, output = 3;
};

// cell_out = f(forget) cell_in + f(input) g(cell); hidden_out = f(output) h(cell_out). gates: [4][hidden];
// cell_out may be cell_in. With the default f, g and h, this applies 5 functions to one vector in registers.
void lstm_cell(const LstmCell& cell, const float* gates, const float* cell_in, float* cell_out,
               float* hidden_out);

struct GruCell {
  size_t hidden;
  UnaryFunction f = {Unary::kSigmoid}, g = {Unary::kTanh};
  float clip = kNoClip;
};

// First half, if the state is reset before its matmul. gates [2][hidden] are the sums of z and r. Replaces
// the sums of z with f(z) and writes f(r) * state to `reset`. The second half needs `reset` multiplied by the
// weights.
void gru_gates(const GruCell& cell, float* gates, const float* state, float* reset);
// Second half: out = (1 - z) g(candidate) + z state, with z as computed by gru_gates. out may be the state.
void gru_output(const GruCell& cell, const float* z, const float* candidate, const float* state, float* out);

// The cell with linear_before_reset. gates [2][hidden] are the sums of z and r. candidate [hidden] is the
// input's part, and bias [hidden] (or null) is added to it. state_candidate [hidden] is the state's part with
// its bias. out = (1 - f(z)) g(candidate + bias + f(r) state_candidate) + f(z) state. out may be the state.
void gru_linear_before_reset(const GruCell& cell, const float* gates, const float* candidate,
                             const float* bias, const float* state_candidate, const float* state, float* out);

// out = function(clamp(sums, -clip, clip)); out may be sums.
void rnn_cell(const UnaryFunction& function, float clip, const float* sums, float* out, size_t hidden);

}  // namespace wasmvino::kernels
