// SPDX-License-Identifier: Apache-2.0
#include "frontends/ir/reader.h"

#include <map>
#include <string>
#include <unordered_map>

#include "frontends/common/extensions.h"
#include "frontends/common/file_kind.h"
#include "frontends/ir/constant_reader.h"
#include "frontends/ir/graph_builder.h"
#include "frontends/ir/layer_text.h"
#include "frontends/ir/legacy.h"
#include "frontends/ir/op_versions.h"
#include "frontends/ir/writer.h"
#include "model/problems.h"

namespace wasmvino::ir {

using frontends::Inspection;

namespace {

// Infers types and shapes of the whole model. Returns false if there is a problem.
bool infer(model::Model& model, model::Problems& problems) {
  model.index();
  std::vector<Error> errors;
  model.infer(&errors);
  for (Error& error : errors) problems.add(std::move(error));
  return errors.empty();
}

// Returns nullptr if there is a problem or a value is missing.
std::unique_ptr<model::Model> build(const ModelText& text, ConstantReader& constants,
                                    const model::Registry& registry, model::Problems& problems) {
  std::unique_ptr<model::Model> model = build_graph(text.graph, registry, constants, problems);
  // Problems that the parser reported (a missing body, say) may have left nodes that no operation expects.
  if (model == nullptr || !problems.empty()) return nullptr;
  model->name = text.name;
  model->ir_version = text.version;
  model->runtime_options = text.runtime_options;
  try {
    if (!infer(*model, problems)) return nullptr;
    const bool changed = apply_legacy_rules(text, constants, registry, *model);
    if (changed && !infer(*model, problems)) return nullptr;
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
        layer.is_operation()
            ? layer.op_class != nullptr || frontends::find_extension(layer.type, layer.version) != nullptr
            : opset_number(layer.version) != 0;
    const std::string type(layer.location().type);
    Inspection::Operation& operation = all[{type, layer.version}];
    operation.type = type;
    operation.version = layer.version;
    operation.supported = supported;
    ++operation.count;
    for (const BodyText& body : layer.bodies) count_operations(body.graph, all);
  }
}

// Adds inputs and outputs as their layers declare them, for models that cannot be inferred.
void add_declared_ports(const GraphText& graph, Inspection& inspection) {
  std::unordered_map<int64_t, const LayerText*> layers;
  std::unordered_map<int64_t, const EdgeText*> edges_to;
  for (const LayerText& layer : graph.layers) layers[layer.id] = &layer;
  for (const EdgeText& edge : graph.edges) edges_to[edge.to_layer] = &edge;
  const auto port_of = [](const LayerText& layer, const PortText* text) {
    Inspection::Port port{{}, layer.name, ElementType::kDynamic, {}};
    if (text != nullptr) port = {text->names, layer.name, text->precision, text->shape};
    if (!layer.output_names.empty()) port.names = layer.output_names;
    return port;
  };
  for (const LayerText& layer : graph.layers) {
    if (layer.is("Parameter")) {
      inspection.inputs.push_back(port_of(layer, layer.outputs.empty() ? nullptr : &layer.outputs[0]));
    } else if (layer.is("Result")) {
      const PortText* source = nullptr;
      const auto edge = edges_to.find(layer.id);
      const auto producer = edge == edges_to.end() ? layers.end() : layers.find(edge->second->from_layer);
      if (producer != layers.end()) {
        for (const PortText& port : producer->second->outputs) {
          if (port.id == edge->second->from_port) source = &port;
        }
      }
      inspection.outputs.push_back(port_of(layer, source));
    }
  }
}

}  // namespace

std::unique_ptr<model::Model> read(std::string_view xml, std::shared_ptr<const ByteSource> weights,
                                   const model::Registry& registry) {
  model::Problems problems;
  ConstantReader constants(std::move(weights));
  const ModelText text = parse_model(xml, registry, problems);
  std::unique_ptr<model::Model> model = build(text, constants, registry, problems);
  if (std::optional<Error> missing = constants.missing()) problems.add(std::move(*missing));
  if (!problems.empty()) throw model::ReadError(problems.errors(), problems.count());
  return model;
}

Inspection inspect(std::string_view xml, std::shared_ptr<const ByteSource> weights,
                   const model::Registry& registry) {
  model::Problems problems;
  const bool has_weights = weights != nullptr;
  ConstantReader constants(std::move(weights));
  const ModelText text = parse_model(xml, registry, problems);
  const std::unique_ptr<model::Model> model = build(text, constants, registry, problems);
  Inspection inspection;
  if (std::optional<Error> missing = constants.missing()) {
    if (has_weights) {
      problems.add(std::move(*missing));
    } else {
      inspection.missing_weights = missing->what();
    }
  }
  inspection.name = text.name;
  inspection.ir_version = text.version;
  if (model != nullptr) {
    inspection.describe_ports(*model);
  } else {
    add_declared_ports(text.graph, inspection);
  }
  std::map<std::pair<std::string, std::string>, Inspection::Operation> operations;
  count_operations(text.graph, operations);
  for (auto& [key, operation] : operations) inspection.operations.push_back(std::move(operation));
  inspection.problems = problems.errors();
  return inspection;
}

namespace {

class IrFrontend final : public frontends::Frontend {
 public:
  std::string_view name() const override { return "OpenVINO IR"; }

  bool recognises(std::string_view start) const override {
    if (start.starts_with("\xef\xbb\xbf")) start.remove_prefix(3);
    const size_t first = start.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && start[first] == '<' && frontends::recognise_file(start).empty();
  }

  std::unique_ptr<model::Model> read(std::shared_ptr<const ByteSource> model,
                                     const frontends::Companions& companions,
                                     const model::Registry& registry) const override {
    return ir::read(frontends::read_text(*model), companions.weights(), registry);
  }

  Inspection inspect(std::shared_ptr<const ByteSource> model, const frontends::Companions& companions,
                     const model::Registry& registry) const override {
    return ir::inspect(frontends::read_text(*model), companions.weights(), registry);
  }

  std::optional<std::string> write(const model::Model& model, const frontends::WeightsSink& weights,
                                   const frontends::WriteOptions& options) const override {
    return ir::write(model, weights, options);
  }
};

}  // namespace

const frontends::Frontend& frontend() {
  static const IrFrontend made;
  return made;
}

}  // namespace wasmvino::ir
