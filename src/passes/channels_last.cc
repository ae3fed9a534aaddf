// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "passes/match.h"
#include "passes/passes.h"

namespace wasmvino::passes {
namespace {

using model::ChannelsLastForm;
using model::ChannelsLastInput;
using model::EdgeLayouts;
using model::Layout;
using model::Model;
using model::Node;
using model::NodeKind;
using model::Source;

// Whether a node is a Transpose from NHWC to NCHW.
bool is_to_channels_first(const Node& node) {
  const Ints order = transpose_order(node);
  if (order.empty()) return false;
  const PartialShape& shape = node.outputs[0].shape;
  return model::has_spatial_axes(shape) && order == model::order_to_channels_first(shape.rank());
}

// Makes NHWC copies of values, node by node. A node whose inputs have such copies is rebuilt to use them, if
// its operation supports this. Its own value becomes a Transpose of the new node's value. At the end, this
// Transpose has no users, or only users that need NCHW.
class Rewriting {
 public:
  Rewriting(Model& model, const model::Registry& registry, bool integers)
      : model_(model), registry_(registry), integers_(integers) {}

  bool run() {
    const size_t count = model_.nodes.size();
    for (size_t i = 0; i < count; ++i) visit(*model_.nodes[i]);
    if (!changed_) return false;
    model_.index();
    absorb_transposes();
    model_.index();
    infer_again(model_);
    return true;
  }

 private:
  void visit(Node& node) {
    if (node.kind != NodeKind::kOperation || !node.bodies.empty() || node.inputs.empty()) return;
    const std::optional<ChannelsLastForm> form = node.op->channels_last_form(node);
    if (!form || !is_of_use(node, *form)) return;
    const std::shared_ptr<model::Op> op = form->op != nullptr ? form->op : node.op;
    std::vector<Source> inputs;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      inputs.push_back(input_of(node.inputs[i], form->inputs[i], node.outputs[0].shape));
    }
    auto made = form->type.empty() ? remade(node, op, std::move(inputs))
                                   : remade_as(node, op, form->type, std::move(inputs));
    if (form->outputs > 0) made->outputs.resize(form->outputs);
    const size_t outputs = made->outputs.size();
    if (!form->outputs_channels_last) {
      const auto simpler = op->simplify(*made, model_);
      return replace(node, simpler ? *simpler : Source{model_.add(std::move(made)), 0});
    }
    Node* const added = model_.add(std::move(made));
    for (size_t port = 0; port < outputs; ++port) replace_by_copy(node, port, {added, port});
  }

  // Whether the node has channels-last data to work on.
  bool is_of_use(const Node& node, const ChannelsLastForm& form) const {
    if (form.only_in_integers && !integers_) return false;
    if (form.outputs_channels_last) {
      const auto has_axes = [](const model::OutputPort& output) {
        return model::has_spatial_axes(output.shape);
      };
      if (!std::all_of(node.outputs.begin(), node.outputs.end(), has_axes)) return false;
    }
    bool any = false;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (form.inputs[i].kind != ChannelsLastInput::Kind::kChannelsLast) continue;
      const Source input = node.inputs[i];
      if (copy_of(input)) {
        any = true;
      } else if (form.worth_transposing && model::has_spatial_axes(shape_of(input))) {
        any = true;
      } else if (!is_constant(input)) {
        return false;
      }
    }
    return any;
  }

  Source input_of(Source source, const ChannelsLastInput& input, const PartialShape& output) {
    switch (input.kind) {
      case ChannelsLastInput::Kind::kUnchanged:
        return source;
      case ChannelsLastInput::Kind::kReplaced:
        return {model_.add_constant(source.node->name, input.value), 0};
      case ChannelsLastInput::Kind::kChannelsLast:
        break;
    }
    if (const auto known = copy_of(source)) return *known;
    return is_constant(source) ? constant_copy(source, output.rank()) : make_copy(source);
  }

  // --- copies ----------------------------------------------------------------------------------------------

  // The channels-last copy of a value, if it has one.
  std::optional<Source> copy_of(Source source) const {
    const auto found = copies_.find(source);
    if (found != copies_.end()) return found->second;
    // The input of such a Transpose is already channels-last.
    if (is_to_channels_first(*source.node)) return source.node->inputs[0];
    return std::nullopt;
  }

  Source make_copy(Source source) {
    const Ints order = model::order_to_channels_last(shape_of(source).rank());
    const Source made = add_transpose(model_, registry_, source, order, source.node->name + "/channels_last");
    entries_.insert(made.node);
    copies_[source] = made;
    return made;
  }

  // A copy of a constant with at most `rank` axes, aligned at the last one. It is folded with the other
  // constants.
  Source constant_copy(Source constant, size_t rank) {
    const model::ConstantData& data = *constant.node->constant;
    const std::string& name = constant.node->name;
    if (element_count(data.shape()) == 1) return constant;
    Source aligned = constant;
    if (data.shape().size() < rank) {
      Shape shape(rank - data.shape().size(), 1);
      for (const int64_t size : data.shape()) shape.push_back(size);
      aligned = {model_.add_constant(name, data.value().reshape(shape)), 0};
    }
    return add_transpose(model_, registry_, aligned, model::order_to_channels_last(rank),
                         name + "/channels_last");
  }

  // Makes the transposed output of `made` replace output `port` of `node`.
  void replace_by_copy(Node& node, size_t port, Source made) {
    const PartialShape shape = node.outputs[port].shape;
    made.node->outputs[made.port] = {
        node.outputs[port].type, model::relaid(shape, Layout::kChannelsFirst, Layout::kChannelsLast), {}};
    const Source back = add_transpose(model_, registry_, made, model::order_to_channels_first(shape.rank()),
                                      node.name + "/channels_first");
    back.node->outputs[0].names = node.outputs[port].names;
    model_.replace_uses({&node, port}, back);
    copies_[back] = made;
    changed_ = true;
  }

  void replace(Node& node, Source made) {
    model_.replace_uses({&node, 0}, made);
    changed_ = true;
  }

  // --- edges -----------------------------------------------------------------------------------------------

  // Some operations read and write either layout. They take over the Transposes at their edges and transpose
  // block by block, if the copy has no other users.
  void absorb_transposes() {
    const size_t count = model_.nodes.size();
    for (size_t i = 0; i < count; ++i) {
      Node& node = *model_.nodes[i];
      std::optional<EdgeLayouts> layouts = node.op->edge_layouts();
      if (!layouts) continue;
      Node& before = *node.inputs[0].node;
      const bool absorbs_in =
          layouts->in == Layout::kChannelsLast && entries_.contains(&before) && before.users(0).size() == 1;
      Node* after = only_user(node);
      // With three axes, a Transpose to channels last looks the same.
      const bool absorbs_out = layouts->out == Layout::kChannelsLast && after != nullptr &&
                               after->inputs[0].node == &node && is_to_channels_first(*after);
      if (!absorbs_in && !absorbs_out) continue;
      if (absorbs_in) layouts->in = Layout::kChannelsFirst;
      if (absorbs_out) layouts->out = Layout::kChannelsFirst;
      node.op = node.op->with_edge_layouts(*layouts);
      if (absorbs_in) node.inputs.set(0, before.inputs[0]);
      if (absorbs_out) {
        node.outputs[0] = after->outputs[0];
        model_.replace_uses({after, 0}, {&node, 0});
      }
    }
  }

  Model& model_;
  const model::Registry& registry_;
  bool integers_;
  std::unordered_map<Source, Source, SourceHash> copies_;
  std::unordered_set<const Node*> entries_;  // the Transposes in which chains of copies begin
  bool changed_ = false;
};

}  // namespace

bool channels_last(Model& model, const model::Registry& registry, bool integers) {
  return Rewriting(model, registry, integers).run();
}

}  // namespace wasmvino::passes
