// SPDX-License-Identifier: Apache-2.0
// The first half of a plan: which nodes are computed, in which steps, with which kernels, and which of them
// are planned only during the run.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/plan.h"

namespace wasmvino::runtime {

inline constexpr size_t kNone = std::numeric_limits<size_t>::max();

inline size_t value_of(model::Source source) { return source.node->first_value + source.port; }

// A node that is computed: a step, or only views.
struct Draft {
  const model::Node* node = nullptr;
  std::unique_ptr<model::Kernel> kernel;
  std::vector<std::optional<model::ViewOf>> views;
  // Outputs that may use the memory of an input.
  struct Overwrite {
    size_t input, output;
  };
  std::vector<Overwrite> overwrites;
  std::vector<size_t> places;  // Op::places_of_inputs
  // By input: the kernel has packed it (CompileContext::consume).
  std::vector<char> consumed;
  std::vector<Tensor> constants;  // by input: read during compilation, and possibly by the kernel
  size_t scratch_bytes = 0;
  bool all_views = false;
  size_t step = kNone;
};

struct Drafts {
  std::vector<Draft> all;               // in the order of execution
  std::vector<char> late;               // by node: data-dependent, so inferred and compiled during the run
  std::vector<size_t> shown_variables;  // by node: the variable that it shows in this plan, or kNone
};

// Sets the values, views and steps of `plan`, and the values that are observed.
Drafts make_drafts(const model::Model& model, model::Inference inference,
                   const std::vector<std::string>& path, RunState& state, Plan& plan);

}  // namespace wasmvino::runtime
