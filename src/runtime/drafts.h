// SPDX-License-Identifier: Apache-2.0
// The first half of a plan: which nodes are computed, in which steps, with which kernels, and which of them
// are planned only during the run.
#pragma once

#include <string>
#include <vector>

#include "runtime/plan.h"

namespace wasmvino::runtime {

// Sets the drafts, values, views and steps of `plan`, and the values that are observed. `plan.inference` is
// the new one. Nodes that are as in the plan's earlier inference keep their kernels.
//
// `same_state`: the plan was made for the same observed values, and the same variables were set. If only
// sizes have changed since then, all drafts and steps stay, and only nodes of other sizes are compiled.
void make_drafts(const model::Model& model, const std::vector<std::string>& path, RunState& state,
                 bool same_state, Plan& plan);

}  // namespace wasmvino::runtime
