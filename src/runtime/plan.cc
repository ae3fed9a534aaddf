// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan.h"

#include "runtime/drafts.h"
#include "runtime/late_step.h"
#include "runtime/placement.h"

namespace wasmvino::runtime {

std::unique_ptr<Plan> make_plan(const model::Model& model, PlanKey key, model::Inference inference,
                                const std::vector<std::string>& path, RunState& state,
                                std::unique_ptr<Plan> earlier) {
  std::unique_ptr<Plan> plan = std::move(earlier);
  // The same values are observed, and the same nodes show variables.
  const bool same_state =
      plan->observed_generation == state.observed_generation && plan->key.variable_set == key.variable_set;
  plan->key = std::move(key);
  plan->observed_generation = state.observed_generation;
  plan->inference = std::move(inference);
  make_drafts(model, path, state, same_state, *plan);
  place_values(model, state, !path.empty(), *plan);
  return plan;
}

}  // namespace wasmvino::runtime
