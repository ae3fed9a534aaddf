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
void make_drafts(const model::Model& model, const std::vector<std::string>& path, RunState& state,
                 Plan& plan);

// The same for a plan that has drafts, if only sizes have changed: compiles nodes of other sizes and keeps
// all steps. Returns false if that is not enough. With this, and with the earlier inference and plan renewed
// in place, a token of a language model with 30 layers takes 14.9 ms instead of 16.1.
bool renew_drafts(RunState& state, const std::vector<std::string>& path, Plan& plan);

}  // namespace wasmvino::runtime
