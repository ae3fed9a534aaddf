// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/node_order.h"

#include <string_view>
#include <unordered_map>

namespace wasmvino::onnx {
namespace {

// Calls visit(name) for all values that a node may use, those that graphs inside of it may use included. A
// name that such a graph defines itself is visited too. This only adds an edge that the order can mostly
// keep.
template <typename Visit>
void visit_inputs(const NodeText& node, const Visit& visit) {
  for (const std::string& input : node.inputs) visit(input);
  for (const AttributeText& attribute : node.attributes) {
    if (attribute.graph == nullptr) continue;
    for (const NodeText& inner : attribute.graph->nodes) visit_inputs(inner, visit);
    for (const ValueText& output : attribute.graph->outputs) visit(output.name);
  }
}

}  // namespace

std::vector<size_t> order_of(const std::vector<NodeText>& nodes) {
  std::unordered_map<std::string_view, size_t> makers;
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (const std::string& output : nodes[i].outputs) {
      if (!output.empty()) makers.emplace(output, i);
    }
  }
  bool sorted = true;
  std::vector<std::vector<size_t>> users(nodes.size());
  std::vector<size_t> missing(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    visit_inputs(nodes[i], [&](const std::string& name) {
      const auto found = makers.find(name);
      if (found == makers.end() || found->second == i) return;
      sorted &= found->second < i;
      users[found->second].push_back(i);
      ++missing[i];
    });
  }
  std::vector<size_t> order;
  if (sorted) {
    for (size_t i = 0; i < nodes.size(); ++i) order.push_back(i);
    return order;
  }
  std::vector<char> placed(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (missing[i] == 0) order.push_back(i);
  }
  for (size_t at = 0; at < order.size(); ++at) {
    placed[order[at]] = 1;
    for (const size_t user : users[order[at]]) {
      if (--missing[user] == 0) order.push_back(user);
    }
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!placed[i]) order.push_back(i);
  }
  return order;
}

}  // namespace wasmvino::onnx
