// SPDX-License-Identifier: Apache-2.0
// Shows the parts of a plan, for separate tests of each half of planning.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/drafts.h"
#include "runtime/late_step.h"
#include "runtime/placement.h"
#include "tests/runtime/graph_builder.h"

namespace wasmvino::test {

// 16 numbers fill one block of the arena.
inline constexpr int64_t kBlock = 16;

// A copy of its input, in memory of its own.
inline Source copied(GraphBuilder& graph, const std::string& name, Source x) {
  return graph.op(name, std::make_shared<FailOp>(), {x});
}

// A model with the state of one request, planned for the shapes that its parameters declare.
struct PlanTester {
  explicit PlanTester(GraphBuilder& graph) : model(graph.finish()) {
    state.weights = &weights;
    state.parallel = &parallel;
  }

  void make_drafts() {
    std::vector<model::ValueInfo> parameters;
    for (const Node* node : model->parameters)
      parameters.push_back({node->outputs[0].type, node->outputs[0].shape, {}});
    model::Variables variables;
    for (const auto& variable : state.variables) variables.push_back(variable.get());
    plan.inference = model::infer_model(*model, parameters, &variables);
    runtime::make_drafts(*model, path, state, false, plan);
  }
  void place_values(bool overwrites_parameters = false) {
    make_drafts();
    state.overwrites_inputs = overwrites_parameters;
    runtime::place_values(*model, state, false, plan);
  }

  const Node& node(const std::string& name) const {
    for (const auto& node : model->nodes) {
      if (node->name == name) return *node;
    }
    throw std::runtime_error("no node " + name);
  }
  size_t value(const std::string& name) const { return node(name).first_value; }
  // nullptr if the node is not computed.
  const runtime::Draft* draft(const std::string& name) const {
    for (const runtime::Draft& draft : plan.drafts) {
      if (draft.node->name == name) return &draft;
    }
    return nullptr;
  }
  // The offset of a node's value in a slot; nullopt if the value is elsewhere.
  std::optional<size_t> offset_in(const std::vector<runtime::Plan::Use>& uses,
                                  const std::string& name) const {
    for (const runtime::Plan::Use& use : uses) {
      if (use.value == value(name)) return use.offset;
    }
    return std::nullopt;
  }

  std::unique_ptr<model::Model> model;
  Parallel parallel;
  runtime::WeightCache weights;
  runtime::RunState state;
  std::vector<std::string> path;
  runtime::Plan plan;
};

}  // namespace wasmvino::test
