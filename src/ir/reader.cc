// SPDX-License-Identifier: Apache-2.0
#include "ir/reader.h"

#include <map>

#include "ir/constant_reader.h"
#include "ir/graph_builder.h"
#include "ir/layer_text.h"
#include "ir/legacy.h"
#include "ir/op_versions.h"

namespace wasmvino::ir {
namespace {

Error summary(const std::vector<Error>& problems, size_t count) {
  if (problems.size() == 1) return problems[0];
  bool all_unsupported = true;
  std::string text = cat("the model has ", count, " problems:");
  for (const Error& problem : problems) {
    all_unsupported &= problem.code() == ErrorCode::kUnsupported;
    text += cat("\n  ", problem.what());
  }
  if (count > problems.size()) text += cat("\n  and ", count - problems.size(), " more");
  return Error(all_unsupported ? ErrorCode::kUnsupported : ErrorCode::kInvalidModel, std::move(text));
}

// nullptr where something is wrong, or a value is missing.
std::unique_ptr<model::Model> build(const ModelText& text, ConstantReader& constants,
                                    const model::Registry& registry, Problems& problems) {
  std::unique_ptr<model::Model> model = build_graph(text.graph, registry, constants, problems);
  if (model == nullptr) return nullptr;
  try {
    model->name = text.name;
    model->ir_version = text.version;
    model->index();
    model->infer();
    if (apply_legacy_rules(text, constants, registry, *model)) {
      model->index();
      model->infer();
    }
  } catch (Error& error) {
    problems.add(std::move(error));
    return nullptr;
  }
  return model;
}

void count_operations(const GraphText& graph,
                      std::map<std::pair<std::string, std::string>, Inspection::Operation>& all) {
  for (const LayerText& layer : graph.layers) {
    const bool supported =
        layer.is_operation() ? layer.op_class != nullptr : opset_number(layer.version) != 0;
    const std::string type(layer.is_constant() ? "Constant" : layer.place().type);
    Inspection::Operation& operation = all[{type, layer.version}];
    operation.type = type;
    operation.version = layer.version;
    operation.supported = supported;
    ++operation.count;
    for (const BodyText& body : layer.bodies) count_operations(body.graph, all);
  }
}

// What a layer's own port and attributes say, where no inference is possible.
Inspection::Port declared_port(const LayerText& layer, const GraphText& graph) {
  Inspection::Port port;
  port.friendly_name = layer.name;
  const std::vector<PortText>* ports = &layer.outputs;
  size_t position = 0;
  if (layer.is("Result")) {
    for (const EdgeText& edge : graph.edges) {
      if (edge.to_layer != layer.id) continue;
      for (const LayerText& producer : graph.layers) {
        if (producer.id != edge.from_layer) continue;
        ports = &producer.outputs;
        while (position < ports->size() && (*ports)[position].id != edge.from_port) ++position;
      }
    }
  }
  if (position < ports->size()) {
    port.names = (*ports)[position].names;
    port.type = (*ports)[position].precision;
    port.shape = (*ports)[position].shape;
  }
  if (layer.output_names) port.names = *layer.output_names;
  return port;
}

}  // namespace

ReadError::ReadError(std::vector<Error> problems, size_t count)
    : Error(summary(problems, count)), problems_(std::move(problems)) {}

std::unique_ptr<model::Model> read(std::string_view xml, std::shared_ptr<const ByteSource> weights,
                                   const model::Registry& registry) {
  Problems problems;
  ConstantReader constants(std::move(weights));
  const ModelText text = parse_model(xml, registry, problems);
  std::unique_ptr<model::Model> model = build(text, constants, registry, problems);
  if (constants.unread() > 0) problems.add(constants.unread_error());
  if (!problems.empty()) throw ReadError(problems.errors(), problems.count());
  return model;
}

Inspection inspect(std::string_view xml, std::shared_ptr<const ByteSource> weights,
                   const model::Registry& registry) {
  Problems problems;
  const bool has_weights = weights != nullptr;
  ConstantReader constants(std::move(weights));
  const ModelText text = parse_model(xml, registry, problems);
  const std::unique_ptr<model::Model> model = build(text, constants, registry, problems);
  if (constants.unread() > 0 && has_weights) problems.add(constants.unread_error());

  Inspection inspection;
  inspection.name = text.name;
  inspection.ir_version = text.version;
  if (model != nullptr) {
    for (const model::Node* node : model->parameters) {
      const model::OutputPort& port = node->outputs[0];
      inspection.inputs.push_back({port.names, node->name, port.type, port.shape});
    }
    for (const model::Node* node : model->results) {
      const model::Source source = node->inputs[0];
      const model::OutputPort& port = source.node->outputs[source.port];
      inspection.outputs.push_back({node->output_names, node->name, port.type, port.shape});
    }
  } else {
    for (const LayerText& layer : text.graph.layers) {
      if (layer.is("Parameter")) inspection.inputs.push_back(declared_port(layer, text.graph));
      if (layer.is("Result")) inspection.outputs.push_back(declared_port(layer, text.graph));
    }
  }
  std::map<std::pair<std::string, std::string>, Inspection::Operation> operations;
  count_operations(text.graph, operations);
  for (auto& [key, operation] : operations) inspection.operations.push_back(std::move(operation));
  inspection.problems = problems.errors();
  return inspection;
}

}  // namespace wasmvino::ir
