// SPDX-License-Identifier: Apache-2.0
#include "frontends/common/inspection.h"

namespace wasmvino::frontends {

void Inspection::describe_ports(const model::Model& model) {
  for (const model::Node* node : model.parameters) {
    const model::OutputPort& port = node->outputs[0];
    inputs.push_back({port.names, node->name, port.type, port.shape});
  }
  for (const model::Node* node : model.results) {
    const model::Source source = node->inputs[0];
    const model::OutputPort& port = source.node->outputs[source.port];
    outputs.push_back({node->output_names, node->name, port.type, port.shape});
  }
}

}  // namespace wasmvino::frontends
