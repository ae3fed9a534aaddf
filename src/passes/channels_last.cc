// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/sort.h"
#include "ops/common/elementwise.h"
#include "ops/internal/channels_last_pooling.h"
#include "ops/internal/fused_convolution.h"
#include "passes/edit.h"
#include "passes/passes.h"

namespace wasmvino::passes {
namespace {

using model::Model;
using model::Node;
using model::NodeKind;
using model::Source;
using ops::ChannelsLastPooling;
using ops::FusedConvolution;
using ops::Layout;

// 0, 2, 3 ... 1: what Transpose takes planes to channels last by.
Ints to_last(size_t rank) {
  Ints order = {0};
  for (size_t axis = 2; axis < rank; ++axis) order.push_back(static_cast<int64_t>(axis));
  order.push_back(1);
  return order;
}

// 0, rank - 1, 1, 2 ...: the way back.
Ints to_planes(size_t rank) {
  Ints order = {0, static_cast<int64_t>(rank) - 1};
  for (size_t axis = 1; axis + 1 < rank; ++axis) order.push_back(static_cast<int64_t>(axis));
  return order;
}

// Where an axis of planes is among channels last.
int64_t moved(int64_t axis, size_t rank) {
  if (axis < 0) axis += static_cast<int64_t>(rank);
  return axis == 0 ? 0 : axis == 1 ? static_cast<int64_t>(rank) - 1 : axis - 1;
}

bool has_spatial_axes(const PartialShape& shape) {
  return shape.has_rank() && shape.rank() >= 3 && shape.rank() <= 5;
}

// Gives values twins that are channels last, from node to node. A node whose inputs have twins is made anew
// on those; its own value becomes a Transpose of the new node's, which nobody reads in the end, or only what
// needs planes.
class Rewriting {
 public:
  Rewriting(Model& model, const model::Registry& registry) : model_(model), registry_(registry) {}

  bool run() {
    const size_t count = model_.nodes.size();
    for (size_t i = 0; i < count; ++i) visit(*model_.nodes[i]);
    if (!changed_) return false;
    model_.index();
    take_transposes_in();
    model_.index();
    infer_again(model_);
    return true;
  }

 private:
  void visit(Node& node) {
    if (node.kind != NodeKind::kOperation || !node.bodies.empty() || node.inputs.empty()) return;
    if (const auto view = ops::as_convolution(node)) return convolve(node, *view);
    if (node.type == "Transpose") return transpose(node);
    if (!has_spatial_axes(shape_of(node.inputs[0])) && node.type != "Concat") {
      // An operand of lower rank may stand first.
      if (model::op_cast<ops::ElementwiseOp>(node.op.get()) == nullptr) return;
    }
    if (const auto* pool = model::op_cast<ops::PoolOp>(node.op.get())) return this->pool(node, *pool);
    if (model::op_cast<ops::ElementwiseOp>(node.op.get()) != nullptr || node.type == "FakeQuantize") {
      return elementwise(node);
    }
    if (node.type == "Concat") return concat(node);
    if (node.type == "Split" || node.type == "VariadicSplit") return split(node);
    if (node.type == "Pad") return pad(node);
    if (node.type == "Interpolate") return interpolate(node);
    if (node.type.starts_with("Reduce")) return reduce(node);
    if (node.type == "Softmax" || node.type == "LogSoftmax") return softmax(node);
  }

  // --- twins -----------------------------------------------------------------------------------------------

  // The twin of a value, if it has one.
  std::optional<Source> twin(Source planes) const {
    const auto found = twins_.find(planes);
    if (found != twins_.end()) return found->second;
    // Planes that were channels last all along.
    const Node& node = *planes.node;
    if (node.type == "Transpose" && has_spatial_axes(node.outputs[0].shape)) {
      const std::optional<Ints> order = constant_ints(node.inputs[1]);
      if (order && *order == to_planes(node.outputs[0].shape.rank())) return node.inputs[0];
    }
    return std::nullopt;
  }

  Source transposed(Source source, const Ints& order, const std::string& name) {
    const Source axes = add_ints(model_, name + "/order", order);
    Node* node = model_.add(registry_.make_node("Transpose", name, {source, axes}));
    const PartialShape& from = shape_of(source);
    PartialShape shape = PartialShape::of_rank(0);
    for (const int64_t axis : order) shape.push_back(from[static_cast<size_t>(axis)]);
    node->outputs[0] = {source.node->outputs[source.port].type, shape, {}};
    return {node, 0};
  }

  // The twin of a value, made if need be.
  Source make_twin(Source planes) {
    if (const auto known = twin(planes)) return *known;
    const Source made =
        transposed(planes, to_last(shape_of(planes).rank()), planes.node->name + "/channels_last");
    entries_.insert(made.node);
    twins_[planes] = made;
    return made;
  }

  // Output `port` of `node` is from now on the transposed output of `made`.
  void replace(Node& node, size_t port, Source made) {
    const PartialShape shape = node.outputs[port].shape;  // a reference would end with the next node
    made.node->outputs[made.port] = {
        node.outputs[port].type, ops::relaid(shape, Layout::kPlanar, Layout::kChannelsLast), {}};
    const Source back = transposed(made, to_planes(shape.rank()), node.name + "/planar");
    back.node->outputs[0].names = node.outputs[port].names;
    model_.replace_uses({&node, port}, back);
    twins_[back] = made;
    changed_ = true;
  }

  Source add(std::unique_ptr<Node> node) { return {model_.add(std::move(node)), 0}; }

  // A constant as it is to be combined with channels last: of `rank` axes, in their order.
  Source constant_twin(Source constant, size_t rank) {
    const Tensor value = constant_of(constant);
    if (value.size() == 1) return constant;
    Shape shape(rank - value.shape().size(), 1);
    for (const int64_t size : value.shape()) shape.push_back(size);
    Node* aligned = model_.add_constant(constant.node->name, value.reshape(shape));
    const Source laid = transposed({aligned, 0}, to_last(rank), constant.node->name + "/channels_last");
    return laid;  // folded with the other constants
  }

  // --- operations ------------------------------------------------------------------------------------------

  void convolve(Node& node, ops::ConvolutionView view) {
    if (!is_real(node.outputs[0].type) || !has_spatial_axes(node.outputs[0].shape)) return;
    if (!has_spatial_axes(shape_of(node.inputs[0])) || view.fusion.out == Layout::kChannelsLast) return;
    view.fusion.in = view.fusion.out = Layout::kChannelsLast;
    std::vector<Source> inputs = node.inputs;
    inputs[0] = make_twin(inputs[0]);
    auto made =
        remade_as(node, std::make_shared<FusedConvolution>(view.spec, view.fusion), std::move(inputs));
    replace(node, 0, add(std::move(made)));
  }

  void pool(Node& node, const ops::PoolOp& op) {
    const auto data = twin(node.inputs[0]);
    if (!data || !is_real(node.outputs[0].type)) return;
    if (node.outputs.size() > 1 && !node.users(1).empty()) return;
    auto made = std::make_unique<Node>(
        node.name, std::string(ChannelsLastPooling::kType), 0,
        std::make_shared<ChannelsLastPooling>(op.kind(), node.version, op.attributes(), Layout::kChannelsLast,
                                              Layout::kChannelsLast));
    made->id = node.id;
    made->line = node.line;
    made->inputs.push_back(*data);
    made->outputs.resize(1);
    replace(node, 0, add(std::move(made)));
  }

  // Whatever takes element after element does so in any order, if all inputs have the same.
  void elementwise(Node& node) {
    const PartialShape& shape = node.outputs[0].shape;
    if (!has_spatial_axes(shape)) return;
    const std::string broadcast = attribute_of(node, "auto_broadcast");
    if (!broadcast.empty() && broadcast != "numpy") return;
    const size_t rank = shape.rank();
    bool any = false;
    for (const Source& input : node.inputs) {
      const PartialShape& of = shape_of(input);
      if (twin(input) && of.has_rank() && of.rank() == rank) {
        any = true;
      } else if (input.node->kind != NodeKind::kConstant || !of.has_rank() || of.rank() > rank) {
        return;
      }
    }
    if (!any) return;
    std::vector<Source> inputs;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const Source input = node.inputs[i];
      if (const auto known = twin(input)) {
        inputs.push_back(*known);
      } else if (node.type == "PRelu" && i == 1 && shape_of(input).rank() == 1) {
        // A slope for each channel is aligned with axis 1 as long as it has one axis.
        const Tensor slope = constant_of(input);
        Shape aligned(rank, 1);
        aligned[rank - 1] = slope.shape()[0];
        inputs.push_back({model_.add_constant(input.node->name, slope.reshape(aligned)), 0});
      } else {
        inputs.push_back(constant_twin(input, rank));
      }
    }
    replace(node, 0, add(remade(node, node.op, std::move(inputs))));
  }

  void concat(Node& node) {
    const PartialShape& shape = node.outputs[0].shape;
    if (!has_spatial_axes(shape)) return;
    bool any = false;
    for (const Source& input : node.inputs) {
      any = any || twin(input);
      if (!twin(input) && input.node->kind != NodeKind::kConstant) return;
    }
    if (!any) return;
    std::vector<Source> inputs;
    for (const Source& input : node.inputs) {
      inputs.push_back(twin(input) ? *twin(input) : constant_twin(input, shape.rank()));
    }
    const auto axis = static_cast<int64_t>(number_of(node, "axis"));
    auto op = with_attributes(registry_, node, {{"axis", std::to_string(moved(axis, shape.rank()))}});
    replace(node, 0, add(remade(node, std::move(op), std::move(inputs))));
  }

  void split(Node& node) {
    const auto data = twin(node.inputs[0]);
    const std::optional<Ints> axis = constant_ints(node.inputs[1]);
    if (!data || !axis) return;
    std::vector<Source> inputs = node.inputs;
    inputs[0] = *data;
    const Tensor moved_axis = Tensor::scalar<int64_t>(moved(axis->front(), shape_of(*data).rank()));
    inputs[1] = {model_.add_constant(node.inputs[1].node->name, moved_axis), 0};
    const Source made = add(remade(node, node.op, std::move(inputs)));
    for (size_t port = 0; port < node.outputs.size(); ++port) replace(node, port, {made.node, port});
  }

  // pads_begin and pads_end, one number an axis.
  void pad(Node& node) {
    const auto data = twin(node.inputs[0]);
    if (!data) return;
    const size_t rank = shape_of(*data).rank();
    std::vector<Source> inputs = node.inputs;
    inputs[0] = *data;
    for (size_t i = 1; i <= 2; ++i) {
      const std::optional<Ints> pads = constant_ints(inputs[i]);
      if (!pads || pads->size() != rank) return;
      Ints laid;
      for (const int64_t axis : to_last(rank)) laid.push_back((*pads)[static_cast<size_t>(axis)]);
      inputs[i] = add_ints(model_, inputs[i].node->name, laid);
    }
    replace(node, 0, add(remade(node, node.op, std::move(inputs))));
  }

  // Pads are attributes. Axes are the last input; without it, sizes and scales have one value for each axis.
  void interpolate(Node& node) {
    const auto data = twin(node.inputs[0]);
    if (!data || node.version < 4) return;
    for (const std::string_view name : {"pads_begin", "pads_end"}) {
      const std::string pads = attribute_of(node, name);
      if (pads.find_first_not_of("0, ") != std::string::npos) return;
    }
    const size_t rank = shape_of(*data).rank(), with_axes = node.version >= 11 ? 3 : 4;
    std::vector<Source> inputs = node.inputs;
    inputs[0] = *data;
    if (inputs.size() == with_axes) {
      const std::optional<Ints> axes = constant_ints(inputs.back());
      if (!axes) return;
      Ints laid;
      for (const int64_t axis : *axes) laid.push_back(moved(axis, rank));
      inputs.back() = add_ints(model_, inputs.back().node->name, laid);
    } else {
      for (size_t i = 1; i < inputs.size(); ++i) {
        const Tensor values = constant_of(inputs[i]);
        if (!values || values.size() != rank) return;
        const Source order = add_ints(model_, inputs[i].node->name + "/order", to_last(rank));
        const Source axis = {model_.add_constant("axis", Tensor::scalar<int64_t>(0)), 0};
        const std::string name = inputs[i].node->name + "/channels_last";
        Node* laid = model_.add(registry_.make_node("Gather", name, {inputs[i], order, axis}));
        laid->outputs[0] = {values.type(), values.shape(), {}};
        inputs[i] = {laid, 0};  // folded with the other constants
      }
    }
    replace(node, 0, add(remade(node, node.op, std::move(inputs))));
  }

  void reduce(Node& node) {
    const auto data = twin(node.inputs[0]);
    const std::optional<Ints> axes = constant_ints(node.inputs[1]);
    if (!data || !axes) return;
    const size_t rank = shape_of(*data).rank();
    Ints laid;
    for (const int64_t axis : *axes) laid.push_back(moved(axis, rank));
    sort_few(laid.begin(), laid.end());
    const bool keeps = is_true(node, "keep_dims");
    // What is left has the same order only where all spatial axes go.
    Ints spatial;
    for (size_t axis = 1; axis + 1 < rank; ++axis) spatial.push_back(static_cast<int64_t>(axis));
    if (!keeps && !(laid == spatial)) return;
    std::vector<Source> inputs = node.inputs;
    inputs[0] = *data;
    inputs[1] = add_ints(model_, node.inputs[1].node->name, laid);
    const Source made = add(remade(node, node.op, std::move(inputs)));
    if (keeps) return replace(node, 0, made);
    model_.replace_uses({&node, 0}, made);
    changed_ = true;
  }

  void softmax(Node& node) {
    const auto data = twin(node.inputs[0]);
    if (!data) return;
    const int64_t axis = moved(static_cast<int64_t>(number_of(node, "axis")), shape_of(*data).rank());
    auto op = with_attributes(registry_, node, {{"axis", std::to_string(axis)}});
    replace(node, 0, add(remade(node, std::move(op), {*data})));
  }

  // A Transpose of planes is one of their twin: often none at all.
  void transpose(Node& node) {
    const auto found = twins_.find(node.inputs[0]);
    const std::optional<Ints> order = constant_ints(node.inputs[1]);
    if (found == twins_.end() || !order) return;
    const size_t rank = shape_of(found->second).rank();
    if (order->size() != rank) return;
    Ints composed;
    bool still = true;
    for (const int64_t axis : *order) {
      composed.push_back(moved(axis, rank));
      still = still && composed.back() == static_cast<int64_t>(composed.size()) - 1;
    }
    const Source made = still ? found->second : transposed(found->second, composed, node.name);
    model_.replace_uses({&node, 0}, made);
    changed_ = true;
  }

  // --- edges -----------------------------------------------------------------------------------------------

  // Convolutions and pooling read and write planes themselves, block by block, where nobody else wants the
  // twin.
  void take_transposes_in() {
    const size_t count = model_.nodes.size();
    for (size_t i = 0; i < count; ++i) {
      Node& node = *model_.nodes[i];
      const auto* convolution = model::op_cast<FusedConvolution>(node.op.get());
      const auto* pooling = model::op_cast<ChannelsLastPooling>(node.op.get());
      if (convolution == nullptr && pooling == nullptr) continue;
      Layout in = convolution != nullptr ? convolution->fusion().in : pooling->in();
      Layout out = convolution != nullptr ? convolution->fusion().out : pooling->out();
      Node& before = *node.inputs[0].node;
      const bool takes_in = entries_.contains(&before) &&
                            before.users(0).size() == 1;
      Node* after = only_user(node);
      const bool takes_out = after != nullptr && after->type == "Transpose" &&
                             after->inputs[0].node == &node &&
                             constant_ints(after->inputs[1]) == to_planes(after->outputs[0].shape.rank());
      if (!takes_in && !takes_out) continue;
      if (takes_in) in = Layout::kPlanar;
      if (takes_out) out = Layout::kPlanar;
      if (convolution != nullptr) {
        ops::ConvolutionFusion fusion = convolution->fusion();
        fusion.in = in;
        fusion.out = out;
        node.op = std::make_shared<FusedConvolution>(convolution->spec(), fusion);
      } else {
        node.op = pooling->with_layouts(in, out);
      }
      if (takes_in) node.inputs.set(0, before.inputs[0]);
      if (takes_out) {
        node.outputs[0] = after->outputs[0];
        model_.replace_uses({after, 0}, {&node, 0});
      }
    }
  }

  Model& model_;
  const model::Registry& registry_;
  std::unordered_map<Source, Source, SourceHash> twins_;
  std::unordered_set<const Node*> entries_;  // the Transposes that twins begin with
  bool changed_ = false;
};

}  // namespace

bool channels_last(Model& model, const model::Registry& registry) { return Rewriting(model, registry).run(); }

}  // namespace wasmvino::passes
