// SPDX-License-Identifier: Apache-2.0
// The second half of planning: assigns memory to every value. The memory is that of an input, a constant, a
// variable or an output, or is in the arena.
#pragma once

#include "runtime/drafts.h"

namespace wasmvino::runtime {

// Completes a plan that already has its steps. `is_body`: the plan is of a body. It then overwrites no
// parameters, and its variables do not grow in place, as the graph around it may read them. `earlier` may be
// null. It is a plan of the same model, whose memory may have the same layout.
void place_values(const model::Model& model, const RunState& state, bool is_body, const Drafts& drafts,
                  Plan& plan, const Plan* earlier = nullptr);

}  // namespace wasmvino::runtime
