// SPDX-License-Identifier: Apache-2.0
#include "frontends/ir/graph_builder.h"

#include <algorithm>
#include <unordered_map>

#include "core/sort.h"
#include "frontends/common/extensions.h"
#include "frontends/ir/op_versions.h"

namespace wasmvino::ir {
namespace {

using model::Body;
using model::BodyInput;
using model::BodyOutput;
using model::Node;
using model::NodeKind;

constexpr size_t kNone = static_cast<size_t>(-1);
constexpr size_t kRefused = kNone - 1;  // an edge whose other end does not exist

// Maps ids to positions. Ids may be in any order and have gaps.
class Positions {
 public:
  void add(int64_t id, size_t position) { entries_.push_back({id, position}); }
  // Call it once, after all calls of add(). Returns the positions whose id an earlier position already has.
  std::vector<size_t> close() {
    sort_all(entries_.data(), entries_.data() + entries_.size(),
             [](Entry a, Entry b) { return a.id != b.id ? a.id < b.id : a.position < b.position; });
    std::vector<size_t> repeated;
    for (size_t i = 1; i < entries_.size(); ++i) {
      if (entries_[i].id == entries_[i - 1].id) repeated.push_back(entries_[i].position);
    }
    return repeated;
  }
  size_t find(int64_t id) const {
    const auto entry =
        std::lower_bound(entries_.begin(), entries_.end(), id, [](Entry e, int64_t i) { return e.id < i; });
    return entry != entries_.end() && entry->id == id ? entry->position : kNone;
  }

 private:
  struct Entry {
    int64_t id;
    size_t position;
  };
  std::vector<Entry> entries_;
};

// An output of a layer; both members are positions.
struct LayerOutput {
  size_t layer = kNone;
  size_t port = 0;
};

// Sets the members that body inputs and body outputs share.
template <typename Mapped>
void set_slice(const MappingText& mapping, Mapped& mapped) {
  mapped.axis = mapping.axis;
  mapped.start = mapping.start;
  mapped.end = mapping.end;
  mapped.stride = mapping.stride;
  mapped.part_size = mapping.part_size;
}

// The layers of one type in a body, in the order of the file. This is also the order of the body's parameters
// or results.
class Places {
 public:
  Places(const GraphText& text, std::string_view type) : type_(type) {
    for (const LayerText& layer : text.layers) {
      if (!layer.is(type)) continue;
      positions_.add(layer.id, layers_.size());
      layers_.push_back(&layer);
    }
    positions_.close();
  }
  std::string_view type() const { return type_; }
  size_t count() const { return layers_.size(); }
  const LayerText& layer(size_t i) const { return *layers_[i]; }
  size_t find(int64_t id) const { return positions_.find(id); }

 private:
  std::string_view type_;
  Positions positions_;
  std::vector<const LayerText*> layers_;
};

// What runs once per layer or edge is not inlined. V8 optimises a function whose loops have run many bytes of
// code, with all that is inlined in it. One function for all took V8's helper thread 25 ms, while the kernels
// of the first run waited to be optimised.
class GraphBuilder {
 public:
  GraphBuilder(const GraphText& text, const model::Registry& registry, ConstantReader& constants,
               model::Problems& problems)
      : text_(text), registry_(registry), constants_(constants), problems_(problems) {}

  std::unique_ptr<model::Model> build() {
    const size_t before = problems_.count();
    number_layers();
    connect();
    find_needed();
    auto model = std::make_unique<model::Model>();
    nodes_.resize(text_.layers.size());
    for (size_t i = 0; i < text_.layers.size(); ++i) {
      if (!needed_[i]) continue;
      std::unique_ptr<Node> node = make_node(text_.layers[i]);
      if (node == nullptr) {
        complete_ = false;
        continue;
      }
      nodes_[i] = model->add(std::move(node));
      if (nodes_[i]->kind == NodeKind::kParameter) model->parameters.push_back(nodes_[i]);
      if (nodes_[i]->kind == NodeKind::kResult) model->results.push_back(nodes_[i]);
      if (text_.layers[i].is("Assign")) model->sinks.push_back(nodes_[i]);
    }
    if (!complete_ || problems_.count() != before) return nullptr;
    link();
    return model;
  }

 private:
  void wrong(const LayerText& layer, std::string reason, ErrorCode code = ErrorCode::kInvalidModel) {
    problems_.add(layer.location(), code, std::move(reason));
  }

  void number_layers() {
    for (size_t i = 0; i < text_.layers.size(); ++i) layer_of_.add(text_.layers[i].id, i);
    for (const size_t i : layer_of_.close()) {
      const LayerText& first = text_.layers[layer_of_.find(text_.layers[i].id)];
      wrong(text_.layers[i],
            cat("its id is also that of '", model::brief(first.name), "' at line ", first.line));
    }
    inputs_.resize(text_.layers.size());
    outputs_.resize(text_.layers.size());
    for (size_t i = 0; i < text_.layers.size(); ++i) {
      const LayerText& layer = text_.layers[i];
      number_ports(layer, layer.inputs, "input", inputs_[i]);
      number_ports(layer, layer.outputs, "output", outputs_[i]);
    }
  }

  void number_ports(const LayerText& layer, const std::vector<PortText>& ports, std::string_view direction,
                    Positions& positions) {
    for (size_t i = 0; i < ports.size(); ++i) positions.add(ports[i].id, i);
    for (const size_t i : positions.close())
      wrong(layer, cat("has two ", direction, " ports with id ", ports[i].id));
  }

  void connect() {
    sources_.resize(text_.layers.size());
    for (size_t i = 0; i < text_.layers.size(); ++i) sources_[i].resize(text_.layers[i].inputs.size());
    for (const EdgeText& edge : text_.edges) connect(edge);
  }

  [[gnu::noinline]] void connect(const EdgeText& edge) {
    const size_t from = layer_of_.find(edge.from_layer);
    const size_t to = layer_of_.find(edge.to_layer);
    const size_t input = to == kNone ? kNone : inputs_[to].find(edge.to_port);
    size_t* reached = input == kNone ? nullptr : &sources_[to][input].layer;
    const auto at = [&] {
      return edge.line > 0 ? cat("the edge at line ", edge.line) : std::string("an edge");
    };
    if (from == kNone || to == kNone) {
      const std::string reason =
          cat(at(), from == kNone ? " comes from" : " goes to", " layer ",
              from == kNone ? edge.from_layer : edge.to_layer, ", which does not exist");
      if (from == kNone && to == kNone) {
        problems_.add(ErrorCode::kInvalidModel, reason);
      } else {
        wrong(text_.layers[from == kNone ? to : from], reason);
      }
      if (reached != nullptr && *reached == kNone) *reached = kRefused;
      return;
    }
    const size_t output = outputs_[from].find(edge.from_port);
    if (output == kNone) {
      wrong(text_.layers[from],
            cat(at(), " comes from port ", edge.from_port, ", which is not one of its outputs"));
    }
    if (input == kNone) {
      wrong(text_.layers[to], cat(at(), " goes to port ", edge.to_port, ", which is not one of its inputs"));
    }
    if (reached == nullptr) return;
    if (*reached != kNone) {
      wrong(text_.layers[to], cat(at(), " is the second one to input port ", edge.to_port));
      return;
    }
    *reached = kRefused;
    if (output == kNone) return;
    if (text_.layers[from].is("Result")) {
      wrong(text_.layers[from], cat(at(), " comes from it, and nothing reads a Result"));
      return;
    }
    sources_[to][input] = {from, output};
  }

  // Marks the layers that results, variables and parameters need, and rejects cycles among them. Works
  // without recursion, because chains of 50,000 layers are valid.
  void find_needed() {
    const size_t count = text_.layers.size();
    needed_.assign(count, 0);
    constexpr size_t kClosed = kRefused;
    std::vector<size_t> depth(count, kNone);  // position of a layer on the stack
    std::vector<std::pair<size_t, size_t>> stack;
    for (size_t root = 0; root < count; ++root) {
      const LayerText& layer = text_.layers[root];
      if (depth[root] != kNone || !(layer.is("Result") || layer.is("Assign") || layer.is("Parameter")))
        continue;
      depth[root] = 0;
      stack.emplace_back(root, 0);
      while (!stack.empty()) {
        const size_t current = stack.back().first;
        if (stack.back().second == sources_[current].size()) {
          needed_[current] = 1;
          depth[current] = kClosed;
          stack.pop_back();
          continue;
        }
        const size_t source = sources_[current][stack.back().second++].layer;
        if (source >= kRefused || depth[source] == kClosed) continue;
        if (depth[source] != kNone) {
          refuse_cycle(stack, depth[source]);
          continue;
        }
        depth[source] = stack.size();
        stack.emplace_back(source, 0);
      }
    }
  }

  void refuse_cycle(const std::vector<std::pair<size_t, size_t>>& stack, size_t first) {
    constexpr size_t kMostNamed = 8;
    const LayerText& start = text_.layers[stack[first].first];
    std::string path = cat("'", model::brief(start.name), "'");
    // The stack runs against the edges: from a layer to the sources of its inputs.
    for (size_t i = stack.size() - 1; i > first; --i) {
      if (stack.size() - i > kMostNamed) {
        path += cat(" → … ", i - first, " more …");
        break;
      }
      path += cat(" → '", model::brief(text_.layers[stack[i].first].name), "'");
    }
    wrong(start, cat("is part of a cycle: ", path, " → '", model::brief(start.name), "'"));
  }

  // Makes a node with attributes, value and bodies, but without inputs. Returns nullptr if there is a problem
  // with it.
  [[gnu::noinline]] std::unique_ptr<Node> make_node(const LayerText& layer) {
    const size_t before = problems_.count();
    const size_t position = position_of(layer);
    for (size_t i = 0; i < layer.inputs.size(); ++i) {
      if (sources_[position][i].layer != kNone) continue;
      Error error(ErrorCode::kInvalidModel,
                  cat("nothing is connected to input ", i, " (port ", layer.inputs[i].id, ")"));
      problems_.add(layer.location(), std::move(error.port(cat("input ", i))));
    }
    std::unique_ptr<Node> node;
    try {
      node = layer.is_operation() ? make_operation(layer) : make_graph_node(layer);
    } catch (const Error& error) {
      problems_.add(layer.location(), error);
    }
    if (node == nullptr || problems_.count() != before) return nullptr;
    node->id = layer.id;
    node->line = layer.line;
    return node;
  }

  std::unique_ptr<Node> make_node_of_class(const LayerText& layer) {
    if (const frontends::Extension* extension = frontends::find_extension(layer.type, layer.version)) {
      return std::make_unique<Node>(layer.name, layer.type, 0, extension->make(layer.data));
    }
    if (layer.op_class == nullptr) {
      wrong(layer, explain_missing(registry_, layer.type, layer.version), ErrorCode::kUnsupported);
      return nullptr;
    }
    std::shared_ptr<model::Op> op = layer.op_class->make();
    model::AttributeReader reader(layer.data);
    op->visit_attributes(reader);
    return std::make_unique<Node>(layer.name, std::string(layer.op_class->type), layer.op_class->since,
                                  std::move(op));
  }

  std::unique_ptr<Node> make_operation(const LayerText& layer) {
    if (layer.type.empty() || layer.version.empty()) return nullptr;  // the parser has reported it
    std::unique_ptr<Node> node = make_node_of_class(layer);
    if (node == nullptr) return nullptr;
    set_outputs(layer, *node);
    node->outputs.resize(std::max(node->outputs.size(), node->op->least_outputs()));
    make_bodies(layer, *node);
    return node;
  }

  std::unique_ptr<Node> make_graph_node(const LayerText& layer) {
    if (layer.version.empty()) return nullptr;  // the parser has reported it
    if (opset_number(layer.version) == 0) {
      wrong(layer, explain_missing(registry_, layer.type, layer.version), ErrorCode::kUnsupported);
      return nullptr;
    }
    if (layer.is("Result")) {
      if (layer.inputs.size() != 1)
        wrong(layer, cat("has ", layer.inputs.size(), " inputs, a Result has one"));
      return std::make_unique<Node>(layer.name, "Result", 1, std::make_shared<model::ResultOp>(),
                                    NodeKind::kResult);
    }
    if (!layer.inputs.empty()) wrong(layer, cat("has ", layer.inputs.size(), " inputs, expected none"));
    if (layer.outputs.size() > 1) wrong(layer, cat("has ", layer.outputs.size(), " outputs, expected one"));
    std::unique_ptr<Node> node;
    if (layer.is_constant()) {
      node = std::make_unique<Node>(layer.name, "Constant", 1, std::make_shared<model::ConstantOp>(),
                                    NodeKind::kConstant);
      node->constant = constants_.read(layer);
      if (node->constant == nullptr) return nullptr;
    } else {
      auto op = std::make_shared<model::ParameterOp>();
      // A missing shape means a scalar, as in OpenVINO.
      op->shape = PartialShape::of_rank(0);
      model::AttributeReader reader(layer.data);
      op->visit_attributes(reader);
      // The specification shows parameters without <data>. Type and shape are then those of the port.
      if (!layer.has_data && !layer.outputs.empty()) {
        op->type = layer.outputs[0].precision;
        op->shape = layer.outputs[0].shape;
      }
      node = std::make_unique<Node>(layer.name, "Parameter", 1, std::move(op), NodeKind::kParameter);
    }
    set_outputs(layer, *node);
    node->outputs.resize(1);
    return node;
  }

  static void set_outputs(const LayerText& layer, Node& node) {
    for (const PortText& port : layer.outputs)
      node.outputs.push_back({port.precision, port.shape, port.names});
  }

  void make_bodies(const LayerText& layer, Node& node) {
    for (const BodyText& text : layer.bodies) {
      Body body;
      {
        const model::Problems::Inside inside(problems_, text.description(layer));
        body.model = build_graph(text.graph, registry_, constants_, problems_);
      }
      complete_ &= body.model != nullptr;
      map_body(layer, text, body);
      node.bodies.push_back(std::move(body));
    }
  }

  // Whether the outputs of a port map are numbered from 0, not by the ids of the layer's ports. OpenVINO
  // takes both, because it only looks at their order.
  static bool counts_outputs(const std::vector<MappingText>& outputs, const Positions& ports) {
    size_t connected = 0;
    int64_t greatest = -1;
    bool known = true;
    for (const MappingText& mapping : outputs) {
      if (mapping.external_port < 0) continue;
      ++connected;
      greatest = std::max(greatest, mapping.external_port);
      known = known && ports.find(mapping.external_port) != kNone;
    }
    return !known && static_cast<uint64_t>(greatest) < connected;
  }

  [[gnu::noinline]] void map_body(const LayerText& layer, const BodyText& text, Body& body) {
    const Places parameters(text.graph, "Parameter"), results(text.graph, "Result");
    const size_t position = position_of(layer);
    const auto refuse = [&](int line, std::string reason) {
      wrong(layer, line > 0 ? cat("the port map at line ", line, " ", reason) : cat("its port map ", reason));
    };
    const auto inner = [&](const Places& places, int64_t id, int line) {
      const size_t found = places.find(id);
      if (found == kNone)
        refuse(line, cat("names layer ", id, ", which is not a ", places.type(), " of the body"));
      return found;
    };
    std::vector<char> given(parameters.count()), next(parameters.count()), taken(layer.outputs.size());

    for (const MappingText& mapping : text.inputs) {
      BodyInput input;
      set_slice(mapping, input);
      if (mapping.purpose == "current_iteration") {
        input.purpose = BodyInput::Purpose::kCurrentIteration;
      } else if (!mapping.purpose.empty()) {
        refuse(mapping.line, cat("has the unknown purpose '", model::brief(mapping.purpose), "'"));
        continue;
      } else if ((input.input = inputs_[position].find(mapping.external_port)) == kNone) {
        refuse(mapping.line,
               cat("names port ", mapping.external_port, ", which is not an input of the layer"));
      }
      input.parameter = inner(parameters, mapping.internal_layer, mapping.line);
      if (input.parameter == kNone) continue;
      if (given[input.parameter]++)
        refuse(mapping.line, cat("maps parameter ", mapping.internal_layer, " twice"));
      body.inputs.push_back(input);
    }
    for (size_t i = 0; i < given.size(); ++i) {
      if (given[i]) continue;
      wrong(layer,
            cat("nothing is mapped to parameter '", model::brief(parameters.layer(i).name), "' of the body"));
    }

    const bool counted = counts_outputs(text.outputs, outputs_[position]);
    for (const MappingText& mapping : text.outputs) {
      BodyOutput output;
      set_slice(mapping, output);
      output.result = inner(results, mapping.internal_layer, mapping.line);
      if (output.result == kNone) continue;
      if (mapping.purpose == "execution_condition") {
        BodyOutput condition;
        condition.result = output.result;
        condition.purpose = BodyOutput::Purpose::kExecutionCondition;
        body.outputs.push_back(condition);
        if (mapping.external_port == -1) continue;
      } else if (!mapping.purpose.empty()) {
        refuse(mapping.line, cat("has the unknown purpose '", model::brief(mapping.purpose), "'"));
        continue;
      }
      output.output = counted ? static_cast<size_t>(mapping.external_port)
                              : outputs_[position].find(mapping.external_port);
      if (output.output == kNone || output.output >= layer.outputs.size()) {
        refuse(mapping.line,
               cat("names port ", mapping.external_port, ", which is not an output of the layer"));
        continue;
      }
      if (taken[output.output]++)
        refuse(mapping.line, cat("maps output port ", mapping.external_port, " twice"));
      body.outputs.push_back(output);
    }
    for (size_t i = 0; i < taken.size(); ++i) {
      if (!taken[i])
        wrong(layer, cat("no result of the body is mapped to output port ", layer.outputs[i].id));
    }

    for (const BackEdgeText& edge : text.back_edges) {
      const size_t result = inner(results, edge.from_layer, edge.line);
      const size_t parameter = inner(parameters, edge.to_layer, edge.line);
      if (result == kNone || parameter == kNone) continue;
      if (next[parameter]++) refuse(edge.line, cat("has a second back edge to parameter ", edge.to_layer));
      body.back_edges.push_back({result, parameter});
    }
  }

  void link() {
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i] == nullptr) continue;
      for (const LayerOutput& source : sources_[i])
        nodes_[i]->inputs.push_back({nodes_[source.layer], source.port});
      if (nodes_[i]->kind != NodeKind::kResult) continue;
      const model::Source source = nodes_[i]->inputs[0];
      const std::vector<std::string>& own = text_.layers[i].output_names;
      nodes_[i]->output_names = own.empty() ? source.node->outputs[source.port].names : own;
    }
  }

  size_t position_of(const LayerText& layer) const {
    return static_cast<size_t>(&layer - text_.layers.data());
  }

  const GraphText& text_;
  const model::Registry& registry_;
  ConstantReader& constants_;
  model::Problems& problems_;
  Positions layer_of_;
  std::vector<Positions> inputs_, outputs_;
  std::vector<std::vector<LayerOutput>> sources_;  // of each layer's inputs
  std::vector<char> needed_;
  std::vector<Node*> nodes_;
  bool complete_ = true;  // all nodes could be made
};

}  // namespace

std::unique_ptr<model::Model> build_graph(const GraphText& text, const model::Registry& registry,
                                          ConstantReader& constants, model::Problems& problems) {
  return GraphBuilder(text, registry, constants, problems).build();
}

}  // namespace wasmvino::ir
