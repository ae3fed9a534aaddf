// SPDX-License-Identifier: Apache-2.0
// State that all executors of one request share: variables, packed weights, observers, times.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "model/node.h"
#include "runtime/compiled_model.h"

namespace wasmvino::runtime {

struct WeightCache : std::map<std::pair<const model::Node*, std::string>, std::shared_ptr<const void>> {
  size_t bytes = 0;
};

// Time of a node, for ProfilingInfo.
struct NodeTime {
  std::string name, type, exec_type;
  double microseconds = 0;
  int64_t calls = 0;
};

class Executor;

struct RunState {
  WeightCache* weights = nullptr;
  const Parallel* parallel = nullptr;
  bool profiling = false;
  bool overwrites_inputs = false;

  std::vector<std::unique_ptr<model::Variable>> variables;  // sorted by id
  std::vector<model::VariableForm> variable_forms;          // in which the model that runs keeps them
  std::vector<ObservedPort> observed;
  size_t observed_generation = 0;  // increases with each change of `observed`, which makes older plans stale
  std::vector<Observation> observations;
  std::vector<int64_t> iterations;  // of the bodies that run now, outermost first
  std::deque<NodeTime> times;
  // In `times`: all plans of a node share one, so evicted plans leave nothing behind.
  std::unordered_map<const model::Node*, NodeTime*> time_of;
  std::vector<const Executor*> executors;  // of the model and of the bodies that are planned
  ProgressListener* progress = nullptr;    // of the run
  size_t told = 0;                         // number of observations reported to it

  model::Variable& variable(std::string_view id) {
    for (const auto& variable : variables) {
      if (variable->id == id) return *variable;
    }
    fail(ErrorCode::kInternal, "unknown variable '", id, "'");
  }
};

}  // namespace wasmvino::runtime
