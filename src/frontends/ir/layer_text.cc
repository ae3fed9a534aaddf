// SPDX-License-Identifier: Apache-2.0
#include "frontends/ir/layer_text.h"

#include <algorithm>
#include <cstring>
#include <pugixml.hpp>

#include "core/call.h"
#include "core/number_text.h"
#include "core/text.h"
#include "frontends/common/file_kind.h"
#include "frontends/ir/op_versions.h"
#include "frontends/ir/xml_memory.h"

namespace wasmvino::ir {
namespace {

// "b\,c,a" is the set of tensor names `a` and `b,c`, which is sorted here. Before a comma, two backslashes
// stand for one, and a remaining single one makes the comma part of the name. Other backslashes stand for
// themselves.
std::vector<std::string> split_names(std::string_view text) {
  std::vector<std::string> names;
  std::string name;
  const auto finish = [&] {
    if (!name.empty()) names.push_back(std::move(name));
    name.clear();
  };
  for (const char letter : text) {
    if (letter != ',') {
      name += letter;
      continue;
    }
    const size_t backslashes = name.size() - 1 - name.find_last_not_of('\\');
    name.resize(name.size() - (backslashes + 1) / 2);
    if (backslashes % 2 == 0) {
      finish();
    } else {
      name += ',';
    }
  }
  finish();
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

// Finds the line of an offset in the text.
class Lines {
 public:
  explicit Lines(std::string_view text) {
    for (size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
      ends_.push_back(at);
  }
  int line(size_t offset) const {
    return static_cast<int>(std::lower_bound(ends_.begin(), ends_.end(), offset) - ends_.begin()) + 1;
  }
  size_t column(size_t offset) const {
    const int before = line(offset) - 1;
    return before == 0 ? offset + 1 : offset - ends_[static_cast<size_t>(before) - 1];
  }

 private:
  std::vector<size_t> ends_;
};

class Parser {
 public:
  Parser(std::string_view xml, const model::Registry& registry, model::Problems& problems)
      : xml_(xml), lines_(xml), registry_(registry), problems_(problems) {}

  ModelText parse() {
    ModelText model;
    if (!check_kind()) return model;
    use_memory_that_throws();
    pugi::xml_document document;
    const pugi::xml_parse_result result = document.load_buffer(xml_.data(), xml_.size());
    // Offsets refer to the text in UTF-8.
    lines_known_ = result.encoding == pugi::encoding_utf8;
    if (result.status == pugi::status_out_of_memory) {
      problems_.add(ErrorCode::kOutOfMemory,
                    cat("there is not enough memory to read the .xml, which has ", xml_.size(), " bytes"));
      return model;
    }
    if (!result) {
      const size_t offset = result.offset < 0 ? 0 : static_cast<size_t>(result.offset);
      std::string where;
      if (lines_known_) where = cat(" at line ", lines_.line(offset), ", column ", lines_.column(offset));
      if (result.status == pugi::status_no_document_element) {
        problems_.add(ErrorCode::kInvalidModel, "the .xml has no XML element: it is not OpenVINO IR");
        return model;
      }
      problems_.add(ErrorCode::kInvalidModel,
                    cat("the .xml is not well formed: ", result.description(), where));
      return model;
    }
    const pugi::xml_node net = document.document_element();
    if (!equal_ignoring_case(net.name(), "net")) {
      problems_.add(ErrorCode::kInvalidModel, cat("the root element is <", model::brief(net.name()),
                                                  ">, expected <net> for OpenVINO IR"));
      return model;
    }
    if (!check_document(net) || !read_version(net, model.version)) return model;
    model.name = net.attribute("name").value();
    model.graph = graph(net, 0);
    for (const pugi::xml_node option : net.child("rt_info").child("runtime_options").children()) {
      model.runtime_options.emplace(option.name(), option.attribute("value").value());
    }
    if (const pugi::xml_node node = net.child("pre-process")) model.pre_process = pre_process(node);
    return model;
  }

 private:
  bool check_kind() {
    if (trim(xml_).empty()) {
      problems_.add(ErrorCode::kInvalidModel, "the .xml is empty");
      return false;
    }
    const std::string_view kind = frontends::recognise_file(xml_.substr(0, frontends::kRecognisedBytes));
    if (!kind.empty()) {
      problems_.add(ErrorCode::kInvalidModel, cat("this is not OpenVINO IR but ", kind));
      return false;
    }
    return true;
  }

  // Rejects what XML forbids but pugixml accepts: a second root element, and duplicate attributes.
  bool check_document(pugi::xml_node net) {
    for (pugi::xml_node next = net.next_sibling(); next; next = next.next_sibling()) {
      if (next.type() != pugi::node_element) continue;
      problems_.add(
          model::Location{"", "", -1, 0, line(next)}, ErrorCode::kInvalidModel,
          cat("the .xml has a second root element, <", model::brief(next.name()), ">; expected only <net>"));
      return false;
    }
    bool right = true;
    // Visits elements in the order of the file, without recursion, because elements may be nested a million
    // deep.
    for (pugi::xml_node node = net; node;) {
      right &= check_attributes(node);
      pugi::xml_node next = node.first_child();
      while (!next && node != net) {
        next = node.next_sibling();
        if (!next) node = node.parent();
      }
      node = next;
    }
    return right;
  }

  // Not inlined, as in GraphBuilder.
  [[gnu::noinline]] bool check_attributes(pugi::xml_node node) {
    attributes_.clear();
    for (const pugi::xml_attribute attribute : node.attributes()) attributes_.push_back(attribute.name());
    if (attributes_.size() < 2) return true;
    std::sort(attributes_.begin(), attributes_.end());
    const auto twice = std::adjacent_find(attributes_.begin(), attributes_.end());
    if (twice == attributes_.end()) return true;
    wrong(model::Location{"", "", -1, 0, line(node)},
          cat("<", model::brief(node.name()), "> has the attribute ", model::brief(*twice), " twice"));
    return false;
  }

  bool read_version(pugi::xml_node net, int& version) {
    const char* text = net.attribute("version").value();
    if (!net.attribute("version")) {
      problems_.add(ErrorCode::kUnsupported, "<net> has no version (supported: 10, 11)");
      return false;
    }
    const auto number = parse_integer(text);
    if (number && (*number == 10 || *number == 11)) {
      version = static_cast<int>(*number);
      return true;
    }
    std::string reason =
        cat("unsupported IR version ", number ? std::string(text) : cat("'", model::brief(text), "'"),
            " (supported: 10, 11)");
    if (number && *number > 0 && *number < 10) {
      reason +=
          ". OpenVINO wrote it before 2020; convert the original model again: `pip install openvino`, then "
          "`ovc MODEL`";
    }
    problems_.add(ErrorCode::kUnsupported, std::move(reason));
    return false;
  }

  int line(pugi::xml_node node) const {
    const ptrdiff_t offset = node.offset_debug();
    return lines_known_ && offset >= 0 ? lines_.line(static_cast<size_t>(offset)) : 0;
  }

  void wrong(const model::Location& place, std::string reason) {
    problems_.add(place, ErrorCode::kInvalidModel, std::move(reason));
  }

  // Reads a required number that must be at least `least`.
  bool integer(pugi::xml_node node, const char* attribute, int64_t least, int64_t& value,
               const model::Location& place) {
    const pugi::xml_attribute found = node.attribute(attribute);
    if (!found) {
      wrong(place, cat("<", node.name(), "> has no ", attribute));
      return false;
    }
    const auto number = parse_integer(found.value());
    if (!number || *number < least) {
      wrong(place, cat("<", node.name(), "> has ", attribute, "=\"", model::brief(found.value()),
                       "\", expected an integer", least == 0 ? " of 0 or more" : ""));
      return false;
    }
    value = *number;
    return true;
  }

  GraphText graph(pugi::xml_node parent, int depth) {
    GraphText graph;
    if (!parent.child("layers")) {
      wrong(model::Location{"", "", -1, 0, line(parent)}, cat("<", parent.name(), "> has no <layers>"));
      return graph;
    }
    for (const pugi::xml_node node : parent.child("layers").children("layer")) {
      LayerText read;
      check_limit(current_call().limits().layers, ++layers_, "layers");
      if (layer(node, depth, read)) graph.layers.push_back(std::move(read));
    }
    for (const pugi::xml_node node : parent.child("edges").children("edge")) {
      EdgeText edge;
      edge.line = line(node);
      const model::Location place{"", "", -1, 0, edge.line};
      if (integer(node, "from-layer", 0, edge.from_layer, place) &&
          integer(node, "from-port", 0, edge.from_port, place) &&
          integer(node, "to-layer", 0, edge.to_layer, place) &&
          integer(node, "to-port", 0, edge.to_port, place)) {
        graph.edges.push_back(edge);
      }
    }
    return graph;
  }

  bool layer(pugi::xml_node node, int depth, LayerText& layer) {
    layer.line = line(node);
    layer.name = node.attribute("name").value();
    layer.type = node.attribute("type").value();
    layer.version = node.attribute("version").value();
    if (layer.is_operation()) layer.op_class = find_op_class(registry_, layer.type, layer.version);
    layer.id = -1;
    if (!integer(node, "id", 0, layer.id, layer.location())) return false;
    if (!node.attribute("name")) wrong(layer.location(), "<layer> has no name");
    if (layer.type.empty()) wrong(layer.location(), "<layer> has no type");
    if (layer.version.empty()) wrong(layer.location(), "<layer> has no version");
    layer.output_names = split_names(node.attribute("output_names").value());
    if (const pugi::xml_node data = node.child("data")) {
      layer.has_data = true;
      for (const pugi::xml_attribute attribute : data.attributes()) {
        layer.data.emplace_back(attribute.name(), attribute.value());
      }
    }
    for (const pugi::xml_node child : node.child("input").children("port")) port(child, false, layer);
    for (const pugi::xml_node child : node.child("output").children("port")) port(child, true, layer);
    if (layer.is("TensorIterator") || layer.is("Loop")) {
      body(node, "", depth, layer);
    } else if (layer.is("If")) {
      body(node, "then_", depth, layer);
      body(node, "else_", depth, layer);
    }
    return true;
  }

  void port(pugi::xml_node node, bool output, LayerText& layer) {
    PortText port;
    const model::Location place = layer.location();
    const std::string_view direction = output ? "output" : "input";
    std::vector<PortText>& ports = output ? layer.outputs : layer.inputs;
    if (!integer(node, "id", 0, port.id, place)) port.id = -1;
    port.shape = PartialShape::of_rank(0);
    for (const pugi::xml_node dim : node.children("dim")) {
      const std::string_view text = dim.child_value();
      const auto size = parse_integer(trim(text));
      if (!size || *size < -1) {
        wrong(place, cat("axis ", port.shape.rank(), " of ", direction, " port ", port.id, " is '",
                         model::brief(text), "', expected a size or -1"));
        break;
      }
      port.shape.push_back(*size == -1 ? Dimension() : Dimension(*size));
    }
    // Inputs need no precision: they have that of the connected output.
    if (output) {
      const pugi::xml_attribute precision = node.attribute("precision");
      const auto type = parse_precision(precision.value());
      if (!precision) {
        wrong(place, cat("output port ", port.id, " has no precision"));
      } else if (!type) {
        wrong(place, cat("output port ", port.id, " has the unknown precision '",
                         model::brief(precision.value()), "'"));
      } else {
        port.precision = *type;
      }
    }
    port.names = split_names(node.attribute("names").value());
    ports.push_back(std::move(port));
  }

  void body(pugi::xml_node node, std::string_view prefix, int depth, LayerText& layer) {
    const model::Location place = layer.location();
    const pugi::xml_node found = node.child(cat(prefix, "body").c_str());
    if (!found) {
      wrong(place, cat("has no <", prefix, "body>"));
      return;
    }
    if (depth == kDeepestBody) {
      wrong(place, cat("bodies are nested deeper than ", kDeepestBody, " levels"));
      return;
    }
    check_limit(current_call().limits().nesting, static_cast<uint64_t>(depth) + 1, "levels of bodies");
    BodyText& body = layer.bodies.emplace_back();
    body.prefix = prefix;
    const pugi::xml_node map = node.child(cat(prefix, "port_map").c_str());
    for (const pugi::xml_node entry : map.children("input")) mapping(entry, place, body.inputs);
    for (const pugi::xml_node entry : map.children("output")) mapping(entry, place, body.outputs);
    for (const pugi::xml_node entry : node.child("back_edges").children("edge")) {
      BackEdgeText edge;
      edge.line = line(entry);
      if (integer(entry, "from-layer", 0, edge.from_layer, place) &&
          integer(entry, "to-layer", 0, edge.to_layer, place)) {
        body.back_edges.push_back(edge);
      }
    }
    const model::Problems::Inside inside(problems_, body.description(layer));
    body.graph = graph(found, depth + 1);
  }

  void mapping(pugi::xml_node node, const model::Location& place, std::vector<MappingText>& mappings) {
    MappingText mapping;
    mapping.line = line(node);
    mapping.purpose = node.attribute("purpose").value();
    bool right = integer(node, "external_port_id", -1, mapping.external_port, place) &&
                 integer(node, "internal_layer_id", 0, mapping.internal_layer, place);
    constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
    if (node.attribute("axis")) {
      int64_t axis = 0;
      right = integer(node, "axis", kLeast, axis, place) && right;
      mapping.axis = axis;
    }
    const auto optional = [&](const char* attribute, int64_t& value) {
      if (node.attribute(attribute)) right = integer(node, attribute, kLeast, value, place) && right;
    };
    optional("start", mapping.start);
    optional("end", mapping.end);
    optional("stride", mapping.stride);
    optional("part_size", mapping.part_size);
    if (right) mappings.push_back(std::move(mapping));
  }

  PreProcessText pre_process(pugi::xml_node node) {
    PreProcessText read;
    read.line = line(node);
    read.input = trim(node.attribute("reference-layer-name").value());
    const model::Location place{read.input, "pre-process", -1, 0, read.line};
    int64_t next = 0;
    for (const pugi::xml_node channel : node.children("channel")) {
      ChannelMean mean;
      mean.channel = next;
      if (channel.attribute("id") && !integer(channel, "id", 0, mean.channel, place)) continue;
      next = mean.channel + 1;
      const pugi::xml_node found = channel.child("mean");
      if (!found) continue;
      if (const pugi::xml_attribute value = found.attribute("value")) {
        const std::optional<double> number = parse_real(trim(value.value()));
        mean.value = number.value_or(0);
        if (!number) {
          wrong(place, cat("the mean of channel ", mean.channel, " is '", model::brief(value.value()),
                           "', expected a number"));
        }
      } else if (found.attribute("size") || found.attribute("offset")) {
        int64_t offset = 0, size = 0;
        if (!integer(found, "offset", 0, offset, place) || !integer(found, "size", 0, size, place)) continue;
        mean.offset = static_cast<uint64_t>(offset);
        mean.size = static_cast<uint64_t>(size);
      } else {
        wrong(place, cat("the mean of channel ", mean.channel, " has neither a value nor a size"));
        continue;
      }
      read.means.push_back(mean);
    }
    return read;
  }

  std::string_view xml_;
  std::vector<std::string_view> attributes_;  // of the element that is being checked
  Lines lines_;
  bool lines_known_ = false;
  uint64_t layers_ = 0;  // number of layers read so far, including those of bodies
  const model::Registry& registry_;
  model::Problems& problems_;
};

}  // namespace

bool LayerText::is(std::string_view word) const { return equal_ignoring_case(type, word); }

bool LayerText::is_operation() const { return !is_constant() && !is("Parameter") && !is("Result"); }

std::string BodyText::description(const LayerText& layer) const {
  return cat(prefix, "body of ", layer.location().type, " '", model::brief(layer.name), "'");
}

model::Location LayerText::location() const {
  if (op_class != nullptr) return {name, op_class->type, id, op_class->since, line};
  if (is_constant()) return {name, "Constant", id, 1, line};
  if (is("Parameter")) return {name, "Parameter", id, 1, line};
  if (is("Result")) return {name, "Result", id, 1, line};
  return {name, type.empty() ? std::string_view("layer") : std::string_view(type), id, 0, line};
}

ModelText parse_model(std::string_view xml, const model::Registry& registry, model::Problems& problems) {
  return Parser(xml, registry, problems).parse();
}

}  // namespace wasmvino::ir
