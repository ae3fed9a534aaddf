// SPDX-License-Identifier: Apache-2.0
// Attributes, checks and weights shared by the cells and sequences of RNN, GRU and LSTM.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/functions.h"
#include "model/op.h"

namespace wasmvino::ops {

enum class Recurrence : uint8_t { kRnn, kGru, kLstm };

enum class Direction : uint8_t { kForward, kReverse, kBidirectional };

// Attributes of cells and sequences. Gates are in the order z, r, h (GRU) or f, i, c, o (LSTM).
struct RecurrentAttributes {
  Recurrence kind = Recurrence::kRnn;
  int64_t hidden_size = 0;
  // sigmoid, tanh, relu or hardsigmoid, in any letter case. A function's alpha and beta (by default 0.2 and
  // 0.5) may be at the function's position in the two lists below.
  std::vector<std::string> activations;
  model::Floats activations_alpha, activations_beta;
  // Clamps sums to -clip..clip before the activations of gates; no clamping if not positive.
  float clip = 0;
  bool linear_before_reset = false;
  Direction direction = Direction::kForward;

  size_t gates() const { return kind == Recurrence::kLstm ? 4 : kind == Recurrence::kGru ? 3 : 1; }
  size_t states() const { return kind == Recurrence::kLstm ? 2 : 1; }
  size_t bias_rows() const { return gates() + (linear_before_reset ? 1 : 0); }
  size_t directions() const { return direction == Direction::kBidirectional ? 2 : 1; }
};

// The functions f, g and h of the specification's formulas, as many as the kind has. Throws
// Error(kInvalidModel) for unknown names.
struct RecurrentFunctions {
  kernels::UnaryFunction f, g, h;
};
RecurrentFunctions recurrent_functions(const RecurrentAttributes& attributes);

// Indices of a cell's inputs after X and the states.
struct CellInputs {
  static constexpr size_t kNone = static_cast<size_t>(-1);
  size_t w = kNone;  // kNone if input 0 is X W^T [batch, gates * hidden_size]
  size_t r = kNone;  // equal to `w` if both are side by side in one input
  size_t b = kNone;
  bool fused() const { return w == r; }
};

// Inference and kernel of a cell with these inputs.
void infer_cell(InferContext& context, const RecurrentAttributes& attributes, const CellInputs& inputs);
std::unique_ptr<Kernel> compile_cell(CompileContext& context, const RecurrentAttributes& attributes,
                                     const CellInputs& inputs);
// States are read in full before they are written, except C: each of its elements is read just before it is
// written.
inline bool cell_can_overwrite(const RecurrentAttributes& attributes, size_t input, size_t output) {
  return input == 1 + output && output < attributes.states();
}

// Inputs: X [batch, input_size], initial_hidden_state [batch, hidden_size], for LSTM initial_cell_state, W
// [gates * hidden_size, input_size], R [gates * hidden_size, hidden_size], B [gates * hidden_size] (one more
// block with linear_before_reset; may be absent). Outputs: the states after the step, [batch, hidden_size].
class CellOp : public Op {
 public:
  static constexpr char kFamily = 0;
  bool is_a(const void* family) const override { return family == &kFamily; }
  const RecurrentAttributes& attributes() const { return attributes_; }
  // The inputs of a node that has `count` of them, the last with shape `last`.
  CellInputs inputs_of(size_t count, const PartialShape& last) const;

  void visit_attributes(AttributeVisitor& visitor) override;
  size_t least_outputs() const override { return attributes_.states(); }
  void infer(InferContext& context) const override;
  std::unique_ptr<Kernel> compile(CompileContext& context) const override;
  bool can_overwrite(const CompileContext& context, size_t input, size_t output) const override;
  InputRange quantised_inputs(const Node& node) const override;

 protected:
  // Special forms of single versions: LSTMCell-1's peepholes; W and R in one input (LSTMCell).
  struct Forms {
    bool peepholes = false;
    bool fused = false;
  };
  explicit CellOp(Recurrence kind, Forms forms) : forms_(forms) { attributes_.kind = kind; }

  RecurrentAttributes attributes_;

 private:
  Forms forms_;
};

// Inputs: X [batch, seq_length, input_size], initial_hidden_state [batch, directions, hidden_size], for LSTM
// initial_cell_state, sequence_lengths [batch], W [directions, gates * hidden_size, input_size], R
// [directions, gates * hidden_size, hidden_size], B [directions, gates * hidden_size]. Outputs: Y [batch,
// directions, seq_length, hidden_size], zero beyond a sequence's length, and the last states [batch,
// directions, hidden_size].
class SequenceOp : public Op {
 public:
  static constexpr char kFamily = 0;
  bool is_a(const void* family) const override { return family == &kFamily; }
  const RecurrentAttributes& attributes() const { return attributes_; }

  void visit_attributes(AttributeVisitor& visitor) override;
  size_t least_outputs() const override { return 1 + attributes_.states(); }
  void infer(InferContext& context) const override;
  std::unique_ptr<Kernel> compile(CompileContext& context) const override;
  // W and R.
  InputRange quantised_inputs(const Node&) const override {
    const size_t w = attributes_.states() + 2;
    return {w, w + 2};
  }

 protected:
  explicit SequenceOp(Recurrence kind) { attributes_.kind = kind; }

 private:
  RecurrentAttributes attributes_;
};

}  // namespace wasmvino::ops
