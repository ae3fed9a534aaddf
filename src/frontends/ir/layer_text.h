// SPDX-License-Identifier: Apache-2.0
// The parsed .xml before interpretation: layers, ports, edges, bodies, port maps.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/attributes.h"
#include "model/problems.h"
#include "model/registry.h"

namespace wasmvino::ir {

// Bodies that are nested more deeply are rejected, because they are read, planned and run by recursion.
inline constexpr int kDeepestBody = 64;

struct PortText {
  int64_t id = 0;
  ElementType precision = ElementType::kDynamic;
  PartialShape shape;
  std::vector<std::string> names;  // tensor names, escapes resolved, sorted
};

struct EdgeText {
  int64_t from_layer = 0, from_port = 0, to_layer = 0, to_port = 0;
  int line = 0;
};

// One <input> or <output> of a port map.
struct MappingText {
  int64_t external_port = 0;   // a port id of the outer layer; -1: none
  int64_t internal_layer = 0;  // a layer id of the body
  std::optional<int64_t> axis;
  int64_t start = 0, end = -1, stride = 1, part_size = 1;
  std::string purpose;
  int line = 0;
};

struct BackEdgeText {
  int64_t from_layer = 0, to_layer = 0;
  int line = 0;
};

struct LayerText;

struct GraphText {
  std::vector<LayerText> layers;
  std::vector<EdgeText> edges;
};

struct BodyText {
  std::string_view prefix;  // "then_" and "else_" of an If
  GraphText graph;
  std::vector<MappingText> inputs, outputs;
  std::vector<BackEdgeText> back_edges;

  // "then_body of If 'name'".
  std::string description(const LayerText& layer) const;
};

struct LayerText {
  int64_t id = 0;
  std::string name, type, version;
  int line = 0;
  bool has_data = false;
  model::AttributeTexts data;
  std::vector<std::string> output_names;  // of a Result; empty: those of its source
  std::vector<PortText> inputs, outputs;
  std::vector<BodyText> bodies;
  // The operation, by type and version. nullptr for Parameter, Result and Const, and for unknown operations.
  const model::OpClass* op_class = nullptr;

  bool is(std::string_view word) const;
  // Const is the only type that is spelt differently from its class, and the only one whose letter case
  // matters.
  bool is_constant() const { return type == "Const" || type == "Constant"; }
  // Whether it is neither Parameter nor Result nor constant.
  bool is_operation() const;
  model::Location location() const;
};

// The mean that IR v10 subtracts from one channel of an input.
struct ChannelMean {
  int64_t channel = 0;
  std::optional<double> value;
  std::optional<uint64_t> offset, size;  // of an array in the weights
};

struct PreProcessText {
  std::string input;  // name of a Parameter; empty: the first of rank 4
  std::vector<ChannelMean> means;
  int line = 0;
};

struct ModelText {
  std::string name;
  int version = 0;
  std::map<std::string, std::string> runtime_options;  // model::Model::runtime_options
  GraphText graph;
  std::optional<PreProcessText> pre_process;
};

// Parses the .xml and adds its problems to `problems`.
ModelText parse_model(std::string_view xml, const model::Registry& registry, model::Problems& problems);

}  // namespace wasmvino::ir
