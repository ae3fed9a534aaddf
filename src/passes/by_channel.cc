// SPDX-License-Identifier: Apache-2.0
#include "passes/by_channel.h"

#include <algorithm>
#include <cmath>

#include "passes/constants.h"
#include "passes/edit.h"
#include "passes/elementwise.h"

namespace wasmvino::passes {

using model::Node;
using model::Source;

// A scale of one element becomes one value per channel, so this limits its size.
constexpr int64_t kMostChannels = 65536;

std::optional<std::vector<float>> values_by_channel(Source source, const PartialShape& shape, size_t axis) {
  const Node& node = *source.node;
  // Checks the shape first, to avoid reading values that cannot match.
  if (node.kind != model::NodeKind::kConstant || node.constant->type() != ElementType::kF32 ||
      !shape.has_rank() || !shape[axis].is_static() || shape[axis].size() > kMostChannels) {
    return std::nullopt;
  }
  const Shape& own = node.constant->shape();
  if (own.size() > shape.rank()) return std::nullopt;
  for (size_t i = 0; i < own.size(); ++i) {
    const bool on_axis = shape.rank() - own.size() + i == axis;
    if (own[i] != 1 && !(on_axis && own[i] == shape[axis].size())) return std::nullopt;
  }
  const Tensor value = node.constant->value();
  std::vector<float> values(static_cast<size_t>(shape[axis].size()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = value.data<float>()[value.size() == 1 ? 0 : i];
  return values;
}

std::optional<ByChannel> by_channel(const Node& node, std::string_view type, size_t axis) {
  if (node.type != type || !is_numpy(node)) return std::nullopt;
  const PartialShape& output = node.outputs[0].shape;
  if (node.outputs[0].type != ElementType::kF32 || !output.has_rank() || axis >= output.rank())
    return std::nullopt;
  for (size_t i = 0; i < 2; ++i) {
    const Source data = node.inputs[1 - i];
    const PartialShape& shape = shape_of(data);
    if (!shape.has_rank() || shape.rank() != output.rank() || !(shape[axis] == output[axis])) continue;
    if (auto values = values_by_channel(node.inputs[i], shape, axis))
      return ByChannel{data, std::move(*values)};
  }
  return std::nullopt;
}

std::optional<ByChannel> scaled_by_channel(const Node& node, size_t axis) {
  auto scaled = by_channel(node, "Multiply", axis);
  if (!scaled) {
    scaled = by_channel(node, "Divide", axis);
    if (!scaled || !(node.inputs[0] == scaled->data)) return std::nullopt;
    for (float& value : scaled->values) value = 1.0f / value;
  }
  // Infinities would turn weights of 0 into NaN.
  const bool finite = std::all_of(scaled->values.begin(), scaled->values.end(),
                                  [](float value) { return std::isfinite(value); });
  return finite ? scaled : std::nullopt;
}

std::optional<ByChannel> added_by_channel(const Node& node, size_t axis) {
  if (auto added = by_channel(node, "Add", axis)) return added;
  auto subtracted = by_channel(node, "Subtract", axis);
  if (!subtracted || !(node.inputs[0] == subtracted->data)) return std::nullopt;
  for (float& value : subtracted->values) value = -value;
  return subtracted;
}

bool add_bias(model::Model& model, const Node& next, const Node& last, size_t axis, Source& bias) {
  auto added = added_by_channel(next, axis);
  const Tensor before = bias.node != nullptr ? constant_of(bias) : Tensor();
  if (!added || added->data.node != &last || (bias.node != nullptr && !before)) return false;
  std::vector<float>& values = added->values;
  for (size_t c = 0; before && c < values.size(); ++c) values[c] += before.data<float>()[c];
  const std::string& name = other_input(next, last).node->name;
  bias = add_floats(model, name, {static_cast<int64_t>(values.size())}, values);
  return true;
}

}  // namespace wasmvino::passes
