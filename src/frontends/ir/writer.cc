// SPDX-License-Identifier: Apache-2.0
#include "frontends/ir/writer.h"

#include <algorithm>
#include <map>
#include <optional>
#include <pugixml.hpp>

#include "core/float_types.h"
#include "core/text.h"
#include "frontends/ir/f16_compression.h"
#include "frontends/ir/xml_memory.h"
#include "model/attribute_writer.h"

namespace wasmvino::ir {
namespace {

using frontends::WeightsSink;
using model::AttributeTexts;
using model::Body;
using model::BodyInput;
using model::BodyOutput;
using model::ConstantData;
using model::Model;
using model::Node;
using model::NodeKind;
using model::OutputPort;

class StringWriter final : public pugi::xml_writer {
 public:
  void write(const void* data, size_t size) override { text_.append(static_cast<const char*>(data), size); }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

void set(pugi::xml_node element, const char* attribute, const std::string& text) {
  element.append_attribute(attribute).set_value(text.c_str());
}

void set(pugi::xml_node element, const char* attribute, size_t number) {
  set(element, attribute, cat(number));
}

// "a,b\,c" for the tensor names `a` and `b,c`. Backslashes before a comma of the list or of a name are
// doubled.
std::string names_text(const std::vector<std::string>& names) {
  std::string text;
  size_t backslashes = 0;  // at the end of the text
  const auto add_comma = [&](std::string_view comma) {
    text.append(backslashes, '\\') += comma;
    backslashes = 0;
  };
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) add_comma(",");
    for (const char letter : names[i]) {
      if (letter == ',') {
        add_comma("\\,");
        continue;
      }
      text += letter;
      backslashes = letter == '\\' ? backslashes + 1 : 0;
    }
  }
  return text;
}

void set_names(pugi::xml_node element, const char* attribute, const std::vector<std::string>& names) {
  if (!names.empty()) set(element, attribute, names_text(names));
}

void write_data(pugi::xml_node layer, const AttributeTexts& texts) {
  if (texts.empty()) return;
  pugi::xml_node data = layer.append_child("data");
  for (const auto& [name, text] : texts) set(data, name.c_str(), text);
}

// Encodes string constants as in the .bin: i32 count, count + 1 i32 offsets, then all bytes.
std::string encode_strings(const Tensor& strings) {
  std::string offsets, bytes;
  const auto put = [&offsets](size_t number) {
    const int32_t value = static_cast<int32_t>(number);
    offsets.append(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  put(strings.size());
  put(0);
  for (size_t i = 0; i < strings.size(); ++i) {
    bytes += strings.data<std::string>()[i];
    put(bytes.size());
  }
  return offsets + bytes;
}

// Writes the .bin.
class Weights {
 public:
  // `compression` is nullptr if all constants keep their types.
  Weights(const WeightsSink& sink, const F16Compression* compression)
      : sink_(sink), compression_(compression) {}

  // The position of a constant in the .bin.
  struct Stored {
    ElementType type = ElementType::kDynamic;
    size_t offset = 0, size = 0;
  };
  Stored add(const Node& node) {
    const bool may_compress = compression_ != nullptr && compression_->may_compress(node);
    const auto [found, is_new] = written_.try_emplace({node.constant.get(), may_compress});
    if (is_new) found->second = write(node.constant->value(), may_compress);
    return found->second;
  }

 private:
  Stored write(const Tensor& value, bool may_compress) {
    Stored stored = {value.type(), end_, 0};
    if (value.type() == ElementType::kString) {
      const std::string bytes = encode_strings(value);
      append(bytes.data(), bytes.size());
    } else if (may_compress && F16Compression::fits(value)) {
      stored.type = ElementType::kF16;
      if (value.type() == ElementType::kF32) {
        append_as_f16(value.data<float>(), value.size());
      } else {
        append_as_f16(value.data<double>(), value.size());
      }
    } else if (value.byte_size() > 0) {
      append(value.data<char>(), value.byte_size());
    } else {
      // OpenVINO writes an empty constant as one byte, and fails to read one without that byte.
      append("", 1);
    }
    stored.size = end_ - stored.offset;
    return stored;
  }

  void append(const void* bytes, size_t size) {
    sink_(bytes, size);
    end_ += size;
  }

  // Converts in parts, so a large constant is not in memory twice.
  template <typename T>
  void append_as_f16(const T* values, size_t count) {
    constexpr size_t kPart = 32768;
    constexpr float kLargest = 65504;
    std::vector<uint16_t> part(std::min(count, kPart));
    for (size_t begin = 0; begin < count; begin += kPart) {
      const size_t length = std::min(kPart, count - begin);
      for (size_t i = 0; i < length; ++i) {
        part[i] = f32_to_f16(std::clamp(static_cast<float>(values[begin + i]), -kLargest, kLargest));
      }
      append(part.data(), length * sizeof(uint16_t));
    }
  }

  const WeightsSink& sink_;
  const F16Compression* compression_;
  size_t end_ = 0;
  std::map<std::pair<const ConstantData*, bool>, Stored> written_;
};

// Writes the layers and edges of a model or a body. Ids count from 0: parameters in their order, then
// operations, then results in their order. Ports of a layer count from 0, inputs first. A constant that is
// stored as f16 becomes two layers: a Const, and a Convert that takes its place.
class GraphWriter {
 public:
  GraphWriter(const Model& model, Weights& weights)
      : weights_(weights), ids_(model.nodes.size()), stored_(model.nodes.size()) {
    for (const Node* node : model.parameters) add(*node);
    for (const auto& node : model.nodes) {
      if (node->kind == NodeKind::kOperation || node->kind == NodeKind::kConstant) add(*node);
    }
    for (const Node* node : model.results) add(*node);
  }

  size_t id(const Node& node) const { return ids_[node.index]; }

  void write(pugi::xml_node parent) {
    pugi::xml_node layers = parent.append_child("layers");
    for (const Node* node : order_) {
      if (node->kind == NodeKind::kConstant) {
        write_constant(layers, *node);
      } else {
        write_layer(layers, *node);
      }
    }
    pugi::xml_node edges = parent.append_child("edges");
    for (const Node* node : order_) {
      for (size_t i = 0; i < node->inputs.size(); ++i) {
        const model::Source source = node->inputs[i];
        write_edge(edges, id(*source.node), first_output(*source.node) + source.port, id(*node), i);
      }
      if (is_compressed(*node)) write_edge(edges, id(*node) - 1, 0, id(*node), 0);
    }
  }

 private:
  void add(const Node& node) {
    if (node.kind == NodeKind::kConstant) stored_[node.index] = weights_.add(node);
    if (is_compressed(node)) ++layers_;
    ids_[node.index] = layers_++;
    order_.push_back(&node);
  }

  bool is_compressed(const Node& node) const {
    return node.kind == NodeKind::kConstant && stored_[node.index].type != node.constant->type();
  }
  size_t first_output(const Node& node) const { return is_compressed(node) ? 1 : node.inputs.size(); }

  static pugi::xml_node append_layer(pugi::xml_node layers, size_t id, const std::string& name,
                                     const std::string& type, const std::string& version) {
    pugi::xml_node layer = layers.append_child("layer");
    set(layer, "id", id);
    set(layer, "name", name);
    set(layer, "type", type);
    set(layer, "version", version);
    return layer;
  }

  static std::string version_of(const Node& node) {
    const std::string_view own = node.op->version_of_layer();
    return own.empty() ? cat("opset", node.version) : std::string(own);
  }

  void write_layer(pugi::xml_node layers, const Node& node) {
    pugi::xml_node layer = append_layer(layers, id(node), node.name, node.type, version_of(node));
    if (node.kind == NodeKind::kResult) set_names(layer, "output_names", node.output_names);
    model::AttributeWriter attributes;
    node.op->visit_attributes(attributes);
    write_data(layer, attributes.texts());
    if (decompresses(node)) mark_as_decompression(layer);
    if (!node.inputs.empty()) {
      pugi::xml_node ports = layer.append_child("input");
      for (size_t i = 0; i < node.inputs.size(); ++i) write_port(ports, i, port_of(node.inputs[i]));
    }
    if (node.kind != NodeKind::kResult) write_outputs(layer, node.inputs.size(), node.outputs);
    write_bodies(layer, node);
  }

  void write_constant(pugi::xml_node layers, const Node& node) {
    const Weights::Stored& stored = stored_[node.index];
    const bool compressed = is_compressed(node);
    const std::string name = compressed ? node.name + "_compressed" : node.name;
    pugi::xml_node layer = append_layer(layers, id(node) - (compressed ? 1 : 0), name, "Const", "opset1");
    write_data(layer, {{"element_type", cat(stored.type)},
                       {"shape", shape_text(node.constant->shape())},
                       {"offset", cat(stored.offset)},
                       {"size", cat(stored.size)}});
    if (!compressed) return write_outputs(layer, 0, node.outputs);
    const OutputPort port = {stored.type, node.constant->shape(), {}};
    write_outputs(layer, 0, {port});
    pugi::xml_node convert = append_layer(layers, id(node), node.name, "Convert", "opset1");
    write_data(convert, {{"destination_type", cat(node.constant->type())}});
    mark_as_decompression(convert);
    write_port(convert.append_child("input"), 0, port);
    write_outputs(convert, 1, node.outputs);
  }

  static std::string shape_text(const Shape& shape) {
    const std::string text = to_string(shape);  // in brackets
    return text.substr(1, text.size() - 2);
  }

  static bool decompresses(const Node& node) {
    return node.type == "Convert" && is_constant(node.inputs[0]) &&
           is_half_precision(port_of(node.inputs[0]).type);
  }

  // Without this mark, OpenVINO would replace the weights by f32 weights when it reads them.
  static void mark_as_decompression(pugi::xml_node layer) {
    pugi::xml_node mark = layer.append_child("rt_info").append_child("attribute");
    set(mark, "name", std::string("decompression"));
    set(mark, "version", std::string("0"));
  }

  static void write_edge(pugi::xml_node edges, size_t from_layer, size_t from_port, size_t to_layer,
                         size_t to_port) {
    pugi::xml_node edge = edges.append_child("edge");
    set(edge, "from-layer", from_layer);
    set(edge, "from-port", from_port);
    set(edge, "to-layer", to_layer);
    set(edge, "to-port", to_port);
  }

  static void write_outputs(pugi::xml_node layer, size_t first, const std::vector<OutputPort>& outputs) {
    if (outputs.empty()) return;
    pugi::xml_node ports = layer.append_child("output");
    for (size_t i = 0; i < outputs.size(); ++i) {
      set_names(write_port(ports, first + i, outputs[i]), "names", outputs[i].names);
    }
  }

  static pugi::xml_node write_port(pugi::xml_node ports, size_t id, const OutputPort& port) {
    pugi::xml_node element = ports.append_child("port");
    set(element, "id", id);
    set(element, "precision", std::string(precision(port.type)));
    // The format cannot express an unknown rank. Readers of the model infer it again.
    for (const Dimension dimension : port.shape) {
      const std::string size = dimension.is_static() ? cat(dimension.size()) : std::string("-1");
      element.append_child("dim").text().set(size.c_str());
    }
    return element;
  }

  void write_bodies(pugi::xml_node layer, const Node& node) {
    const bool branches = node.bodies.size() == 2;  // of an If
    for (size_t i = 0; i < node.bodies.size(); ++i) {
      const std::string prefix = !branches ? "" : i == 0 ? "then_" : "else_";
      const Body& body = node.bodies[i];
      GraphWriter graph(*body.model, weights_);
      write_port_map(layer.append_child(cat(prefix, "port_map").c_str()), node, body, graph);
      if (!body.back_edges.empty()) {
        pugi::xml_node edges = layer.append_child("back_edges");
        for (const model::BackEdge& edge : body.back_edges) {
          pugi::xml_node element = edges.append_child("edge");
          set(element, "from-layer", graph.id(*body.model->results[edge.result]));
          set(element, "to-layer", graph.id(*body.model->parameters[edge.parameter]));
        }
      }
      graph.write(layer.append_child(cat(prefix, "body").c_str()));
    }
  }

  static void write_port_map(pugi::xml_node map, const Node& node, const Body& body,
                             const GraphWriter& graph) {
    for (const BodyInput& input : body.inputs) {
      const bool counts = input.purpose == BodyInput::Purpose::kCurrentIteration;
      pugi::xml_node element = map.append_child("input");
      set(element, "external_port_id", counts ? std::string("-1") : cat(input.input));
      set(element, "internal_layer_id", graph.id(*body.model->parameters[input.parameter]));
      if (counts) set(element, "purpose", std::string("current_iteration"));
      write_slice(element, input);
    }
    for (const BodyOutput& output : body.outputs) {
      const bool decides = output.purpose == BodyOutput::Purpose::kExecutionCondition;
      pugi::xml_node element = map.append_child("output");
      set(element, "external_port_id", decides ? std::string("-1") : cat(node.inputs.size() + output.output));
      set(element, "internal_layer_id", graph.id(*body.model->results[output.result]));
      if (decides) set(element, "purpose", std::string("execution_condition"));
      write_slice(element, output);
    }
  }

  template <typename Mapped>
  static void write_slice(pugi::xml_node element, const Mapped& mapped) {
    if (!mapped.axis) return;
    set(element, "axis", cat(*mapped.axis));
    set(element, "start", cat(mapped.start));
    set(element, "end", cat(mapped.end));
    set(element, "stride", cat(mapped.stride));
    set(element, "part_size", cat(mapped.part_size));
  }

  Weights& weights_;
  // By Node::index.
  std::vector<size_t> ids_;
  std::vector<Weights::Stored> stored_;
  std::vector<const Node*> order_;
  size_t layers_ = 0;
};

}  // namespace

std::string write(const Model& model, const WeightsSink& sink, const frontends::WriteOptions& options) {
  use_memory_that_throws();
  pugi::xml_document document;
  pugi::xml_node net = document.append_child("net");
  set(net, "name", model.name);
  set(net, "version", size_t{11});
  std::optional<F16Compression> compression;
  if (options.compress_to_f16) compression.emplace(model);
  Weights weights(sink, compression ? &*compression : nullptr);
  GraphWriter(model, weights).write(net);
  if (!model.runtime_options.empty()) {
    pugi::xml_node options = net.append_child("rt_info").append_child("runtime_options");
    for (const auto& [name, value] : model.runtime_options)
      set(options.append_child(name.c_str()), "value", value);
  }
  StringWriter text;
  document.save(text);
  return text.take();
}

}  // namespace wasmvino::ir
