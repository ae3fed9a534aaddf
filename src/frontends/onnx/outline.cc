// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/outline.h"

#include <set>

#include "frontends/common/companions.h"

namespace wasmvino::onnx {
namespace {

using frontends::Outline;

// Collects the files of all tensors. The reader of the file has bounded the depth of its graphs.
class Files {
 public:
  explicit Files(std::vector<std::string>& files) : files_(files) {}

  void add(const Graph& graph) {
    for (const TensorText& tensor : graph.initializers) add(tensor);
    for (const SparseText& sparse : graph.sparse_initializers) add(sparse);
    add(graph.nodes);
  }

  void add(const std::vector<NodeText>& nodes) {
    for (const NodeText& node : nodes) add(node.attributes);
  }

  void add(const std::vector<AttributeText>& attributes) {
    for (const AttributeText& attribute : attributes) {
      for (const TensorText& tensor : attribute.tensors) add(tensor);
      for (const SparseText& sparse : attribute.sparse) add(sparse);
      if (attribute.graph != nullptr) add(*attribute.graph);
    }
  }

 private:
  void add(const SparseText& sparse) {
    add(sparse.values);
    add(sparse.indices);
  }

  void add(const TensorText& tensor) {
    if (!tensor.is_external) return;
    const std::string* location = tensor.location();
    if (location == nullptr || !frontends::stays_inside(*location)) return;
    if (seen_.insert(*location).second) files_.push_back(*location);
  }

  std::vector<std::string>& files_;
  std::set<std::string_view> seen_;
};

std::vector<Outline::Port> named_ports(const std::vector<ValueText>& values) {
  std::vector<Outline::Port> ports;
  for (const ValueText& value : values) {
    Outline::Port port{value.name, {}};
    bool is_named = false;
    for (const DimensionText& dimension : value.type.shape) {
      port.dimensions.push_back(dimension.symbol);
      is_named |= !dimension.symbol.empty();
    }
    if (is_named) ports.push_back(std::move(port));
  }
  return ports;
}

}  // namespace

Outline outline_of(const ModelFile& file) {
  Outline outline{{}, named_ports(file.graph.inputs), named_ports(file.graph.outputs)};
  Files files(outline.files);
  files.add(file.graph);
  for (const FunctionText& function : file.functions) {
    files.add(function.defaults);
    files.add(function.nodes);
  }
  return outline;
}

}  // namespace wasmvino::onnx
