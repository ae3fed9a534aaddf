// SPDX-License-Identifier: Apache-2.0
// The second half of a plan: a place for every value, in an input, a constant, a variable, an output or the
// arena.
#pragma once

#include "runtime/drafts.h"

namespace wasmvino::runtime {

// Completes a plan whose steps are made. `overwrites_parameters`: CompileOptions::overwrites_inputs, for the
// model itself.
void place_values(const model::Model& model, const RunState& state, bool overwrites_parameters,
                  const Drafts& drafts, Plan& plan);

}  // namespace wasmvino::runtime
