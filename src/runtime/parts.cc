// SPDX-License-Identifier: Apache-2.0
#include "runtime/parts.h"

#include <algorithm>

namespace wasmvino::runtime {
namespace {

using model::Node;
using model::NodeKind;
using model::Source;

// Of the largest tensor's part. Adding two inputs of 4 MB in a page took 2.10 ms in parts of 64 and 256
// KB, 2.20 of 512 KB, 2.62 whole; of that 1.7 are the first touch of the result.
constexpr size_t kPartBytes = size_t{256} << 10;
// Below, calls cost what copies save.
constexpr int64_t kLeastParts = 4;
// Of an input that is given whole: it is copied for every part.
constexpr size_t kWholeBytes = kPartBytes / 8;

bool has_axis(const Parts& parts, const PartialShape& shape) {
  return shape.rank() > parts.trailing && shape[shape.rank() - 1 - parts.trailing] == parts.size;
}

// Every element of the value lies in one of the parts.
bool is_cut(const Parts& parts, const PartialShape& shape) {
  if (!has_axis(parts, shape)) return false;
  for (size_t axis = 0; axis + 1 + parts.trailing < shape.rank(); ++axis) {
    if (!(shape[axis] == 1)) return false;
  }
  return true;
}

size_t bytes_of(Source value) {
  const model::OutputPort& port = value.node->outputs[value.port];
  return element_count(port.shape.to_shape()) * bit_width(port.type) / 8;
}

// Whether the model's results can be computed in these parts: all of them are cut, and what they are computed
// from is cut too or the same for all parts.
bool allows(const model::Model& model, const Parts& parts) {
  std::vector<char> cut(model.nodes.size());
  for (const auto& node : model.nodes) {
    if (node->kind == NodeKind::kResult) {
      if (!cut[node->inputs[0].node->index]) return false;
      continue;
    }
    for (const model::OutputPort& output : node->outputs) {
      if (!output.shape.is_static() || output.type == ElementType::kString || bit_width(output.type) < 8)
        return false;
    }
    if (node->kind == NodeKind::kParameter) {
      cut[node->index] = has_axis(parts, node->outputs[0].shape);
      if (!cut[node->index] && bytes_of({node.get(), 0}) > kWholeBytes) return false;
    } else if (node->kind == NodeKind::kOperation) {
      const bool follows = std::any_of(node->inputs.begin(), node->inputs.end(),
                                       [&](Source input) { return cut[input.node->index] != 0; });
      if (!node->op->is_pure() || !node->bodies.empty() ||
          (follows && !node->op->is_independent_along(node->outputs[0].shape.rank(), parts.trailing))) {
        return false;
      }
      cut[node->index] = follows;
    }
    for (const model::OutputPort& output : node->outputs) {
      // A constant with the axis would have to be cut as well.
      if (cut[node->index] ? !is_cut(parts, output.shape) : has_axis(parts, output.shape)) return false;
    }
  }
  return true;
}

}  // namespace

Shape first_part(const Parts& parts, Shape whole) {
  if (has_axis(parts, whole)) whole[whole.size() - 1 - parts.trailing] = parts.step;
  return whole;
}

bool is_part(const Parts& parts, const PartialShape& whole, const Shape& part) {
  if (!has_axis(parts, whole) || part.size() != whole.rank()) return false;
  const size_t axis = whole.rank() - 1 - parts.trailing;
  for (size_t i = 0; i < part.size(); ++i) {
    if (i == axis ? part[i] < 1 || part[i] > parts.step : !(whole[i] == part[i])) return false;
  }
  return true;
}

std::optional<Parts> find_parts(const model::Model& model) {
  if (model.results.empty() || !model.sinks.empty()) return std::nullopt;
  const auto is_open = [](Source value) { return !value.node->outputs[value.port].shape.is_static(); };
  if (std::any_of(model.parameters.begin(), model.parameters.end(),
                  [&](Node* node) {
                    return is_open({node, 0});
                  }) ||
      std::any_of(model.results.begin(), model.results.end(),
                  [&](Node* node) { return is_open(node->inputs[0]); })) {
    return std::nullopt;
  }
  const Source first = model.results[0]->inputs[0];
  const Shape shape = first.node->outputs[first.port].shape.to_shape();
  const auto axis = std::find_if(shape.begin(), shape.end(), [](int64_t size) { return size != 1; });
  if (axis == shape.end()) return std::nullopt;

  size_t most = 0;
  for (Node* parameter : model.parameters) most = std::max(most, bytes_of({parameter, 0}));
  for (const Node* result : model.results) most = std::max(most, bytes_of(result->inputs[0]));
  const int64_t count = std::min(*axis, static_cast<int64_t>(most / kPartBytes));
  if (count < kLeastParts) return std::nullopt;
  const Parts parts{.trailing = static_cast<size_t>(shape.end() - axis) - 1,
                    .size = *axis,
                    .step = (*axis + count - 1) / count};
  if (!allows(model, parts)) return std::nullopt;
  return parts;
}

}  // namespace wasmvino::runtime
