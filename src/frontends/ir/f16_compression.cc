// SPDX-License-Identifier: Apache-2.0
#include "frontends/ir/f16_compression.h"

#include <algorithm>
#include <cmath>

#include "core/float_types.h"

namespace wasmvino::ir {
namespace {

using model::Model;
using model::Node;
using model::Source;

// Inputs first .. last of an operation, from which it takes a shape.
struct ShapeInputs {
  std::string_view type;
  size_t first, last;
};
constexpr ShapeInputs kShapeInputs[] = {
    {"BatchToSpace", 1, 3},
    {"Broadcast", 1, 1},
    {"ConvolutionBackpropData", 2, 2},
    {"GroupConvolutionBackpropData", 2, 2},
    {"Interpolate", 1, 2},
    {"OneHot", 1, 1},
    {"Pad", 1, 2},
    {"Reshape", 1, 1},
    {"SpaceToBatch", 1, 3},
    {"StridedSlice", 1, 3},
    {"Tile", 1, 1},
    {"TopK", 1, 1},
};

// Whether weights of this type count as quantised if their user is a Convert.
bool is_quantised(ElementType type) {
  switch (type) {
    case ElementType::kI4:
    case ElementType::kI8:
    case ElementType::kU4:
    case ElementType::kU8:
    case ElementType::kNf4:
    case ElementType::kF4e2m1:
    case ElementType::kF8e4m3:
    case ElementType::kF8e5m2:
      return true;
    default:
      return false;
  }
}

// Matches Multiply(Convert(quantised weights)), with or without a Subtract in between.
bool dequantises(const Node& node) {
  if (node.type != "Multiply") return false;
  const Node* from = node.inputs[0].node;
  if (from->type == "Subtract") from = from->inputs[0].node;
  return from->type == "Convert" && is_constant(from->inputs[0]) &&
         is_quantised(port_of(from->inputs[0]).type);
}

// As in OpenVINO, which does not examine bodies.
bool is_quantised(const Model& model) {
  return std::any_of(model.nodes.begin(), model.nodes.end(), [](const auto& node) {
    return node->type == "FakeQuantize" || node->type == "FakeConvert" || dequantises(*node);
  });
}

template <typename T>
bool elements_fit(const T* values, size_t count) {
  constexpr double kLargest = 65504, kSmallest = 0x1p-24;
  constexpr double kMostLost = 1e-4;
  size_t outside = 0;
  for (size_t i = 0; i < count; ++i) {
    const double size = std::abs(static_cast<double>(values[i]));
    if (size > kLargest || (size < kSmallest && size != 0)) ++outside;
  }
  if (count == 1) {
    const double value = static_cast<double>(values[0]);
    const double stored = f16_to_f32(f32_to_f16(static_cast<float>(value)));
    if (std::abs(stored - value) > kMostLost * std::abs(value)) return false;
  }
  return outside < 0.75 * static_cast<double>(count);
}

}  // namespace

F16Compression::F16Compression(const Model& model) : quantised_(is_quantised(model)) {
  if (!quantised_) keep_shapes(model);
}

void F16Compression::keep_shapes(const Model& model) {
  std::vector<const Node*> open;
  const auto keep = [&](Source source) {
    if (exact_.insert(source.node).second) open.push_back(source.node);
  };
  for (const auto& node : model.nodes) {
    for (const model::Body& body : node->bodies) keep_shapes(*body.model);
    for (const ShapeInputs& inputs : kShapeInputs) {
      if (node->type != inputs.type) continue;
      for (size_t i = inputs.first; i <= inputs.last && i < node->inputs.size(); ++i) keep(node->inputs[i]);
    }
  }
  while (!open.empty()) {
    const Node& node = *open.back();
    open.pop_back();
    // ShapeOf does not depend on the values of its input.
    if (node.type == "ShapeOf") continue;
    for (const Source& source : node.inputs) keep(source);
  }
}

bool F16Compression::may_compress(const Node& constant) const {
  const ElementType type = constant.constant->type();
  return (type == ElementType::kF32 || type == ElementType::kF64) && !quantised_ &&
         !exact_.contains(&constant);
}

bool F16Compression::fits(const Tensor& value) {
  return value.type() == ElementType::kF32 ? elements_fit(value.data<float>(), value.size())
                                           : elements_fit(value.data<double>(), value.size());
}

}  // namespace wasmvino::ir
