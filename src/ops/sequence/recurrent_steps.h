// SPDX-License-Identifier: Apache-2.0
// The kernels of recurrent cells and sequences. A cell is a sequence of one step: the input is projected
// first (for all steps at once), then each step multiplies the hidden state and updates the states.
#pragma once

#include <memory>

#include "ops/sequence/recurrent.h"

namespace wasmvino::ops {

struct RecurrentSizes {
  size_t batch, input, hidden;
};

// Where the weights of one direction lie.
struct RecurrentWeights {
  // Inputs of the node. Without `w`, input 0 is X W^T already.
  size_t w = CellInputs::kNone, r = CellInputs::kNone, b = CellInputs::kNone;
  // Elements: where they begin there, and from one row to the next.
  size_t w_first = 0, r_first = 0, b_first = 0;
  size_t w_stride = 0, r_stride = 0;
};

// One step. Inputs 1 and 2 are the states, outputs the new ones.
std::unique_ptr<Kernel> make_cell_kernel(CompileContext& context, const RecurrentAttributes& attributes,
                                         const RecurrentSizes& sizes, const RecurrentWeights& weights);

// All `length` steps of a sequence operation.
std::unique_ptr<Kernel> make_sequence_kernel(CompileContext& context, const RecurrentAttributes& attributes,
                                             const RecurrentSizes& sizes, size_t length);

}  // namespace wasmvino::ops
