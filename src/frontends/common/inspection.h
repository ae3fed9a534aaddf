// SPDX-License-Identifier: Apache-2.0
// Describes a model, whether or not it can be read.
#pragma once

#include <string>
#include <vector>

#include "core/error.h"
#include "model/node.h"

namespace wasmvino::frontends {

struct Inspection {
  struct Port {
    std::vector<std::string> names;  // tensor names
    std::string friendly_name;       // of the Parameter or Result
    ElementType type = ElementType::kDynamic;
    PartialShape shape;
  };
  struct Operation {
    std::string type;     // as the registry spells it; as in the file if it is unknown
    std::string version;  // "opset1", as in the file; empty if the format has no versions
    size_t count = 0;     // bodies included
    bool supported = false;
  };
  std::string format;  // "OpenVINO IR"; empty if the format is unknown
  std::string name;
  int ir_version = 0;                 // 0 if the file is not an IR
  std::vector<Port> inputs, outputs;  // as declared, if the model cannot be read
  std::vector<Operation> operations;  // sorted by type, then version
  std::string missing_weights;        // if none were given: why the model needs weights to run
  std::vector<Error> problems;

  // Sets `inputs` and `outputs` to those of a model that was read.
  void describe_ports(const model::Model& model);
};

}  // namespace wasmvino::frontends
