// SPDX-License-Identifier: Apache-2.0
// A plan of a model for the shapes of one run: the steps in order, their kernels, and the memory of each
// value.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "model/infer.h"
#include "runtime/compiled_node.h"
#include "runtime/memory_plan.h"
#include "runtime/run_state.h"

namespace wasmvino::runtime {

class LateStep;

// What a plan depends on.
struct PlanKey {
  std::vector<model::ValueInfo> parameters;  // with the values that shapes depend on
  std::vector<Shape> variable_shapes;        // by RunState::variables; meaningful where set
  std::vector<ElementType> variable_types;   // the same
  std::vector<char> variable_set;
};

struct Step {
  const model::Node* node = nullptr;
  model::Kernel* kernel = nullptr;  // null: the operation's evaluate()
  std::unique_ptr<LateStep> late;   // set where shapes depend on data: planned while running
  model::EvalContext context;
  std::vector<size_t> observed;  // positions in Plan::observed_values, complete after this step
  NodeTime* time = nullptr;
};

inline constexpr size_t kNone = std::numeric_limits<size_t>::max();

inline size_t value_of(model::Source source) { return source.node->first_value + source.port; }

// A node that is computed: a step, or only views.
struct Draft {
  const model::Node* node = nullptr;
  std::shared_ptr<const CompiledNode> compiled;  // empty if the node is data-dependent
  size_t step = kNone;
};

struct Plan {
  PlanKey key;
  size_t observed_generation = 0;
  model::Inference inference;                                 // what is known at planning
  std::vector<TensorView> views;                              // memory of each value; by value number
  std::vector<std::shared_ptr<const CompiledNode>> compiled;  // by node; null where nothing was compiled

  std::vector<Draft> drafts;            // in the order of execution
  std::vector<char> late;               // by node: data-dependent, so inferred and compiled during the run
  std::vector<size_t> shown_variables;  // by node: the variable that it shows, or kNone
  std::vector<Step> steps;
  std::vector<TensorView*> pointers;  // inputs and outputs of all steps
  std::vector<Tensor> constants;      // kept alive for the views

  // A value that is `offset` bytes into a slot.
  struct Use {
    size_t value;
    size_t offset;
  };
  std::vector<std::vector<Use>> parameter_uses;  // by parameter
  std::vector<std::vector<Use>> variable_uses;   // by RunState::variables
  std::vector<Use> arena_uses;
  std::vector<size_t> bytes;                       // by value, where its size was needed; else kNone
  MemoryPlan memory;                               // of the arena
  std::vector<std::pair<size_t, size_t>> scratch;  // (step, offset in the arena)
  void* arena = nullptr;                           // that the views point into now

  // Where a result of the model, or the new value of a variable, comes from.
  struct Output {
    size_t value = 0;
    TensorView view;           // type, shape; memory as bound
    bool known_shape = false;  // false: views[value] has it after the run, such as a result inside an input
    bool copied = false;       // at the end of the run; otherwise written in place
    bool extends = false;      // of a variable: its old value is the beginning, and stays where it is
    std::vector<Use> uses;     // values that are in the output's memory
  };
  std::vector<Output> results;      // by result
  std::vector<Output> assignments;  // by Plan::assigned
  std::vector<size_t> assigned;     // positions in RunState::variables

  struct ObservedValue {
    size_t observed;  // position in RunState::observed
    size_t value;
  };
  std::vector<ObservedValue> observed_values;
  std::vector<size_t> observed_at_start;  // of constants and parameters
};

// Compiles `model` for `key`. `inference` must be that of the same key. `path`: names of the layers around
// the model, outermost first.
//
// The new plan begins with `earlier`, a plan of the same model or an empty one, from whose inference
// `inference` was made. Nodes with the same inputs, outputs and users keep their kernels.
std::unique_ptr<Plan> make_plan(const model::Model& model, PlanKey key, model::Inference inference,
                                const std::vector<std::string>& path, RunState& state,
                                std::unique_ptr<Plan> earlier);

}  // namespace wasmvino::runtime
