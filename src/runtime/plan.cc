// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan.h"

#include "runtime/late_step.h"
#include "runtime/placement.h"

namespace wasmvino::runtime {

std::unique_ptr<Plan> make_plan(const model::Model& model, PlanKey key, model::Inference inference,
                                const std::vector<std::string>& path, RunState& state, const Plan* earlier) {
  auto plan = std::make_unique<Plan>();
  plan->key = std::move(key);
  plan->observed_generation = state.observed_generation;
  const Drafts drafts = make_drafts(model, std::move(inference), path, state, *plan, earlier);
  place_values(model, state, !path.empty(), drafts, *plan, earlier);
  return plan;
}

}  // namespace wasmvino::runtime
