// SPDX-License-Identifier: Apache-2.0
// The kernels of recurrent cells and sequences. A cell is a sequence of one step. The input is projected
// first, for all steps at once. Then each step multiplies the hidden state by its weights and updates the
// states.
#pragma once

#include <memory>

#include "ops/sequence/recurrent.h"

namespace wasmvino::ops {

struct RecurrentSizes {
  size_t batch, input, hidden;
};

// Location of the weights of one direction.
struct RecurrentWeights {
  // Indices of the node's inputs. Without `w`, input 0 is X W^T already.
  size_t w = CellInputs::kNone, r = CellInputs::kNone, b = CellInputs::kNone;
  // In elements: the start in each input, and the stride from one row to the next.
  size_t w_first = 0, r_first = 0, b_first = 0;
  size_t w_stride = 0, r_stride = 0;
};

// One step. Inputs 1 and 2 are the states, the outputs are the new states.
std::unique_ptr<Kernel> make_cell_kernel(CompileContext& context, const RecurrentAttributes& attributes,
                                         const RecurrentSizes& sizes, const RecurrentWeights& weights);

// All `length` steps of a sequence operation.
std::unique_ptr<Kernel> make_sequence_kernel(CompileContext& context, const RecurrentAttributes& attributes,
                                             const RecurrentSizes& sizes, size_t length);

}  // namespace wasmvino::ops
