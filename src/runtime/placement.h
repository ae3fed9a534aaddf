// SPDX-License-Identifier: Apache-2.0
// The second half of planning: assigns memory to every value. The memory is that of an input, a constant, a
// variable or an output, or is in the arena.
#pragma once

#include "runtime/drafts.h"

namespace wasmvino::runtime {

// Completes a plan that already has its steps. `overwrites_parameters` is CompileOptions::overwrites_inputs
// for the model itself.
void place_values(const model::Model& model, const RunState& state, bool overwrites_parameters,
                  const Drafts& drafts, Plan& plan);

}  // namespace wasmvino::runtime
