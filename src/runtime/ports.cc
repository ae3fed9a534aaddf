// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "runtime/compiled_model.h"

namespace wasmvino::runtime {
namespace {

Port described(model::Source source) {
  const model::OutputPort& output = source.node->outputs[source.port];
  Port port;
  port.names = output.names;
  std::sort(port.names.begin(), port.names.end());
  port.friendly_name =
      source.node->outputs.size() == 1 ? source.node->name : cat(source.node->name, ".", source.port);
  port.type = output.type;
  port.shape = output.shape;
  return port;
}

}  // namespace

std::vector<Port> input_ports(const model::Model& model) {
  std::vector<Port> ports;
  for (model::Node* node : model.parameters) ports.push_back(described({node, 0}));
  return ports;
}

std::vector<Port> output_ports(const model::Model& model) {
  std::vector<Port> ports;
  for (const model::Node* node : model.results) {
    Port& port = ports.emplace_back(described(node->inputs[0]));
    // A result keeps its own names when a pass gives it another source.
    if (node->output_names.empty()) continue;
    port.names = node->output_names;
    std::sort(port.names.begin(), port.names.end());
  }
  return ports;
}

size_t find_port(std::span<const Port> ports, std::string_view name, std::string_view kind) {
  for (size_t i = 0; i < ports.size(); ++i) {
    if (std::find(ports[i].names.begin(), ports[i].names.end(), name) != ports[i].names.end()) return i;
  }
  for (size_t i = 0; i < ports.size(); ++i) {
    if (ports[i].friendly_name == name) return i;
  }
  std::string known;
  for (const Port& port : ports) known += cat(known.empty() ? "'" : ", '", port.any_name(), "'");
  throw Error(ErrorCode::kInvalidArgument, cat("the model has no ", kind, " '", name, "'; it has ", known))
      .expected(known)
      .actual(std::string(name));
}

}  // namespace wasmvino::runtime
