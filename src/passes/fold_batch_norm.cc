// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <memory>

#include "ops/convolution/quantised_filters.h"
#include "ops/internal/fused_convolution.h"
#include "ops/normalization/batch_norm_inference.h"
#include "passes/by_channel.h"
#include "passes/constants.h"
#include "passes/edit.h"
#include "passes/passes.h"

namespace wasmvino::passes {
namespace {

using model::Model;
using model::Node;
using model::Source;
using ops::batch_norm_inference::BatchNormInference;

using Values = std::vector<float>;

// The number of channels (axis 1) of output 0 if rank and size are known; otherwise 0.
size_t channels_of(const Node& node) {
  const PartialShape& shape = node.outputs[0].shape;
  return shape.has_rank() && shape.rank() > 1 && shape[1].is_static() ? static_cast<size_t>(shape[1].size())
                                                                      : 0;
}

// The filters multiplied by one value per output (or input) channel.
Source scaled_filters(Model& model, const Node& convolution, const ops::FilterForm& form,
                      const Values& values, bool by_input) {
  const Node& filters = *convolution.inputs[1].node;
  if (const auto* quantised = ops::quantised_of(filters)) {
    return {model.add(ops::quantised_constant(filters.name,
                                              ops::scaled_filters(*quantised, form, values, by_input))),
            0};
  }
  const Shape& shape = filters.constant->shape();
  const size_t first = form.first_spatial();
  size_t taps = 1;
  for (size_t axis = first; axis < shape.size(); ++axis) taps *= static_cast<size_t>(shape[axis]);
  const size_t inner = taps * static_cast<size_t>(shape[first - 1]);
  // The outer of the two channel axes is the output channels, unless the convolution is transposed.
  const bool by_outer = form.transposed == by_input;
  return add_scaled(model, filters, values, by_outer ? inner : taps,
                    inner * static_cast<size_t>(shape[first - 2]));
}

bool has_constant_filters(const Node& node) {
  return node.inputs[1].node->kind == model::NodeKind::kConstant &&
         node.inputs[1].node->constant->type() == ElementType::kF32;
}

// A convolution without fused operations.
std::optional<ops::ConvolutionView> bare_convolution(const Node& node) {
  auto view = ops::as_convolution(node);
  if (!view || !has_constant_filters(node) || node.outputs[0].type != ElementType::kF32) return std::nullopt;
  if (view->fusion.bias || view->fusion.residual || view->fusion.activation.kind != ops::Unary::kIdentity) {
    return std::nullopt;
  }
  return view;
}

class Folding {
 public:
  Folding(Model& model, const model::Registry& registry) : model_(model), registry_(registry) {}

  // Added nodes are visited too: the next rewrite folds the multiplication that this one adds.
  bool run() {
    for (size_t i = 0; i < model_.nodes.size(); ++i) visit(*model_.nodes[i]);
    return changed_;
  }

 private:
  void replace(Node& node, Source by) {
    model_.replace_uses({&node, 0}, by);
    model_.release(node);
    changed_ = true;
  }

  // Adds a node with the type and shape of `like`.
  Source add(std::string_view type, const std::string& name, std::vector<Source> inputs, const Node& like) {
    Node* node = model_.add(registry_.make_node(type, name, std::move(inputs)));
    node->outputs[0] = like.outputs[0];
    return {node, 0};
  }

  Source add_channels(const Node& like, const std::string& name, const Values& values) {
    Shape shape(like.outputs[0].shape.rank(), 1);
    shape[1] = static_cast<int64_t>(values.size());
    return add_floats(model_, name, shape, values);
  }

  void visit(Node& node) {
    if (node.inputs.empty()) return;  // released
    if (const auto* norm = op_of<BatchNormInference>(node)) return decompose(node, *norm);
    if (const auto scaled = scaled_by_channel(node, 1)) return fold(node, *scaled);
    if (const auto view = bare_convolution(node)) fold_input(node, *view);
  }

  // y = (data - mean) / sqrt(variance + epsilon) * gamma + beta becomes a multiplication and an addition.
  void decompose(Node& node, const BatchNormInference& op) {
    const auto& at = op.inputs();
    const Source data = node.inputs[at.data];
    const size_t channels = channels_of(node);
    if (channels == 0 || node.outputs[0].type != ElementType::kF32) return;
    const PartialShape shape = {static_cast<int64_t>(channels)};
    const auto gamma = values_by_channel(node.inputs[at.gamma], shape, 0);
    const auto beta = values_by_channel(node.inputs[at.beta], shape, 0);
    const auto mean = values_by_channel(node.inputs[at.mean], shape, 0);
    const auto variance = values_by_channel(node.inputs[at.variance], shape, 0);
    if (!gamma || !beta || !mean || !variance) return;
    Values scale(channels), shift(channels);
    for (size_t c = 0; c < channels; ++c) {
      const double deviation = std::sqrt(static_cast<double>((*variance)[c]) + op.attributes().epsilon);
      const double factor = (*gamma)[c] / deviation;
      scale[c] = static_cast<float>(factor);
      shift[c] = static_cast<float>((*beta)[c] - (*mean)[c] * factor);
    }
    const Source product = add("Multiply", node.name + "/scale",
                               {data, add_channels(node, node.name + "/scale/factors", scale)}, node);
    replace(node, add("Add", node.name, {product, add_channels(node, node.name + "/shift", shift)}, node));
  }

  // Folds data * values, if `data` is a convolution, or the sum of a convolution and values by channel.
  void fold(Node& node, const ByChannel& scaled) {
    Node& data = *scaled.data.node;
    if (only_user(data) != &node) return;
    if (const auto view = bare_convolution(data); view && channels_of(data) == scaled.values.size()) {
      return replace(node, scale(data, *view, data.inputs, scaled.values, false));
    }
    // (x + b) * c = x * c + b * c.
    const auto sum = by_channel(data, "Add", 1);
    if (!sum || !bare_convolution(*sum->data.node) || only_user(*sum->data.node) != &data) return;
    Values shift = sum->values;
    for (size_t c = 0; c < shift.size(); ++c) shift[c] *= scaled.values[c];
    const Source product = add("Multiply", node.name,
                               {sum->data, add_channels(node, node.name + "/factors", scaled.values)}, node);
    replace(node, add("Add", data.name, {product, add_channels(node, data.name + "/shift", shift)}, node));
  }

  // Folds a convolution of data * values.
  void fold_input(Node& node, const ops::ConvolutionView& view) {
    Node& data = *node.inputs[0].node;
    const auto scaled = scaled_by_channel(data, 1);
    if (!scaled) return;
    std::vector<Source> inputs = node.inputs;
    inputs[0] = scaled->data;
    replace(node, scale(node, view, std::move(inputs), scaled->values, true));
  }

  // The convolution with its filters multiplied by one value per output (or input) channel.
  Source scale(const Node& node, const ops::ConvolutionView& view, std::vector<Source> inputs,
               const Values& values, bool by_input) {
    inputs[1] = scaled_filters(model_, node, view.spec.form, values, by_input);
    return {model_.add(remade(node, node.op, std::move(inputs))), 0};
  }

  Model& model_;
  const model::Registry& registry_;
  bool changed_ = false;
};

}  // namespace

bool fold_batch_norm(Model& model, const model::Registry& registry) {
  if (!Folding(model, registry).run()) return false;
  model.index();
  infer_again(model);
  return true;
}

}  // namespace wasmvino::passes
