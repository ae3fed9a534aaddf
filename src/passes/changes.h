// SPDX-License-Identifier: Apache-2.0
// Describes what passes did to a model.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "passes/passes.h"

namespace wasmvino::passes {

// What one pass did to the operations of one model.
struct Change {
  struct Operation {
    std::string name, type;
  };
  std::string_view pass;
  std::string_view reason;        // why the pass helps, in one sentence
  std::vector<std::string> path;  // names of the layers around the model, outermost first
  std::vector<Operation> removed, added;
};

// Like run_passes(), but returns what each pass changed.
std::vector<Change> run_passes_and_tell(model::Model& model, const model::Registry& registry,
                                        const PassOptions& options);

}  // namespace wasmvino::passes
