// SPDX-License-Identifier: Apache-2.0
// The second half of planning: assigns memory to every value. The memory is that of an input, a constant, a
// variable or an output, or is in the arena.
#pragma once

#include "runtime/plan.h"

namespace wasmvino::runtime {

// Completes a plan that already has its drafts and steps. `is_body`: the plan is of a body. It then
// overwrites no parameters, and its variables do not grow in place, as the graph around it may read them. A
// plan that was placed before keeps the layout of its memory if that still fits.
void place_values(const model::Model& model, const RunState& state, bool is_body, Plan& plan);

}  // namespace wasmvino::runtime
