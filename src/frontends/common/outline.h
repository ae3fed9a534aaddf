// SPDX-License-Identifier: Apache-2.0
// What the file of a model says before the model is read.
#pragma once

#include <string>
#include <vector>

namespace wasmvino::frontends {

struct Outline {
  // An input or output whose dimensions have names.
  struct Port {
    std::string name;
    std::vector<std::string> dimensions;  // empty for a dimension without a name
  };
  // The paths of files beside the model that hold its tensors, each once. Paths that lead out of the model's
  // folder are left out.
  std::vector<std::string> files;
  std::vector<Port> inputs, outputs;
};

}  // namespace wasmvino::frontends
