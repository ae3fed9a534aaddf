// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/fused_convolution.h"
#include "passes/edit.h"
#include "passes/passes.h"

namespace wasmvino::passes {
namespace {

using kernels::Unary;
using kernels::UnaryFunction;
using model::Model;
using model::Node;
using model::Source;
using ops::ConvolutionView;
using ops::FusedConvolution;

class Fusion {
 public:
  explicit Fusion(Model& model) : model_(model), readers_(model) {}

  bool run() {
    const size_t count = model_.nodes.size();
    for (size_t i = 0; i < count; ++i) {
      Node& node = *model_.nodes[i];
      auto view = ops::as_convolution(node);
      if (view && node.outputs[0].type == ElementType::kF32) extend(node, *view);
    }
    return changed_;
  }

 private:
  // Takes what follows into the convolution, as long as something fits.
  void extend(Node& node, ConvolutionView view) {
    std::vector<Source> inputs = node.inputs;
    Node* last = &node;
    bool named = false;
    while (Node* next = readers_.only(*last)) {
      if (next->kind != model::NodeKind::kOperation || next->outputs.size() != 1) break;
      if (!add_bias(*next, *last, view, inputs) && !apply(*next, *last, view)) break;
      last = next;
      named = true;
    }
    if (!named) return;
    auto made = remade_as(node, std::make_shared<FusedConvolution>(view.spec, view.fusion), std::move(inputs));
    made->outputs[0] = last->outputs[0];
    model_.replace_uses({last, 0}, {model_.add(std::move(made)), 0});
    changed_ = true;
  }

  // `next` adds one value a channel to `last`, or subtracts it.
  bool add_bias(const Node& next, const Node& last, ConvolutionView& view, std::vector<Source>& inputs) {
    const bool adds = next.type == "Add", subtracts = next.type == "Subtract" && next.inputs[0].node == &last;
    if ((!adds && !subtracts) || attribute_of(next, "auto_broadcast") != "numpy") return false;
    if (view.fusion.activation.kind != Unary::kIdentity || view.fusion.residual) return false;
    const PartialShape& shape = last.outputs[0].shape;
    if (!shape.has_rank() || next.outputs[0].type != last.outputs[0].type) return false;
    const size_t axis = view.fusion.out == ops::Layout::kPlanar ? 1 : shape.rank() - 1;
    if (!shape[axis].is_static()) return false;
    const Source added = other_input(next, last);
    auto values = values_by_channel(added, shape.rank(), axis, static_cast<size_t>(shape[axis].size()));
    if (!values) return false;
    if (view.fusion.bias) {
      const Tensor* before = constant_of(inputs[view.fusion.bias_input()]);
      if (before == nullptr) return false;
      for (size_t c = 0; c < values->size(); ++c) {
        (*values)[c] = before->data<float>()[c] + (subtracts ? -(*values)[c] : (*values)[c]);
      }
    } else {
      if (subtracts) {
        for (float& value : *values) value = -value;
      }
      inputs.insert(inputs.begin() + static_cast<ptrdiff_t>(view.fusion.bias_input()), Source{});
      view.fusion.bias = true;
    }
    inputs[view.fusion.bias_input()] =
        add_floats(model_, added.node->name, {static_cast<int64_t>(values->size())}, *values);
    return true;
  }

  static bool apply(const Node& next, const Node& last, ConvolutionView& view) {
    if (view.fusion.activation.kind != Unary::kIdentity || next.inputs[0].node != &last) return false;
    if (next.outputs[0].type != last.outputs[0].type) return false;
    const std::optional<UnaryFunction> function = unary_function_of(next);
    if (!function) return false;
    view.fusion.activation = *function;
    return true;
  }

  Model& model_;
  Readers readers_;
  bool changed_ = false;
};

}  // namespace

bool fuse_bias_activation(Model& model, const model::Registry&) { return Fusion(model).run(); }

}  // namespace wasmvino::passes
