// SPDX-License-Identifier: Apache-2.0
// What passes did to a model.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/registry.h"

namespace wasmvino::passes {

// What a pass did to the operations of one model.
struct Change {
  struct Operation {
    std::string name, type;
  };
  std::string_view pass;
  std::string_view reason;        // what it gains, in a sentence
  std::vector<std::string> path;  // names of the layers around the model, outermost first
  std::vector<Operation> removed, added;
};

// run_passes() that tells what happened.
std::vector<Change> run_passes_and_tell(model::Model& model, const model::Registry& registry, bool integers);

}  // namespace wasmvino::passes
