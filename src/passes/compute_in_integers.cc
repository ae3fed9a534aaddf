// SPDX-License-Identifier: Apache-2.0
#include <unordered_set>

#include "ops/internal/fused_convolution.h"
#include "ops/internal/fused_mat_mul.h"
#include "ops/internal/integer_batch_mat_mul.h"
#include "ops/internal/integer_binary.h"
#include "ops/internal/integer_convolution.h"
#include "ops/internal/integer_mat_mul.h"
#include "ops/internal/integer_mean.h"
#include "ops/internal/integer_mvn.h"
#include "ops/internal/quantize.h"
#include "ops/quantization/fake_quantize.h"
#include "passes/by_channel.h"
#include "passes/edit.h"
#include "passes/elementwise.h"
#include "passes/passes.h"
#include "passes/quantised_values.h"
#include "passes/ranges.h"

namespace wasmvino::passes {
namespace {

using model::Layout;
using model::Model;
using model::Node;
using model::SharedQuantization;
using model::Source;
using ops::FusedConvolution;
using ops::IntegerBatchMatMul;
using ops::IntegerBinary;
using ops::IntegerConvolution;
using ops::IntegerMatMul;
using ops::IntegerMean;
using ops::IntegerMvn;

class Rewriting {
 public:
  Rewriting(Model& model, const model::Registry& registry)
      : model_(model), registry_(registry), values_(model) {}

  bool run() {
    const size_t before = model_.nodes.size();
    const bool changed = rewrite_operations(model_, [&](Node& node) {
      return convolve(node) || multiply(node) || combine(node) || average(node) || normalise(node);
    });
    if (model_.nodes.size() == before) return false;
    model_.index();  // removes the u8 values that no operation took
    if (!changed) return false;
    dequantize();
    model_.index();
    infer_again(model_);
    return true;
  }

 private:
  // --- operations ------------------------------------------------------------------------------------------

  // Makes a residual its quantised form, if it has one that is not by channel.
  void take_quantized(Source& residual) {
    const auto value = values_.quantized(residual);
    if (value && !levels_of(*value).by_channel()) residual = *value;
  }

  bool convolve(Node& node) {
    const auto* op = op_of<FusedConvolution>(node);
    if (op == nullptr || node.outputs[0].type != ElementType::kF32 || !node.outputs[0].shape.has_rank())
      return false;
    IntegerConvolution::Parts parts = {op->spec(), op->fusion()};
    ops::ConvolutionFusion& fusion = parts.fusion;
    const ops::QuantisedConstant* filters = ops::quantised_of(*node.inputs[1].node);
    if (filters == nullptr || fusion.output_shape) return false;
    if (fusion.bias && !is_constant(node.inputs[fusion.bias_input()])) return false;
    const auto data = values_.quantized(node.inputs[0]);
    if (!data) return false;
    const bool by_channel = levels_of(*data).by_channel();
    if (!IntegerConvolution::takes(parts.spec, *filters, by_channel, fusion.residual)) return false;
    if (by_channel && fusion.in == Layout::kChannelsFirst)
      return false;  // its last axis is not the channel axis

    std::vector<Source> inputs = node.inputs;
    inputs[0] = *data;
    if (fusion.in == Layout::kChannelsFirst)
      inputs[0] = add_transpose(model_, registry_, inputs[0],
                                model::order_to_channels_last(shape_of(inputs[0]).rank()),
                                node.name + "/channels_last");
    if (fusion.residual && !ops::may_broadcast(node, fusion)) take_quantized(inputs[fusion.residual_input()]);
    Node* const slopes = ops::may_broadcast(node, fusion) ? nullptr : prelu_after(node, fusion.out);
    if (slopes != nullptr) parts.slopes = slopes_of(*slopes);
    const Layout out = fusion.out;
    fusion.in = fusion.out = Layout::kChannelsLast;
    auto made = remade_as(node, std::make_shared<IntegerConvolution>(std::move(parts)), std::move(inputs));
    made->outputs[0].shape = ops::relaid(node.outputs[0].shape, out, Layout::kChannelsLast);
    Source result = {model_.add(std::move(made)), 0};
    if (out == Layout::kChannelsFirst) {
      result.node->outputs[0].names.clear();
      result =
          add_transpose(model_, registry_, result, model::order_to_channels_first(shape_of(result).rank()),
                        node.name + "/channels_first");
      result.node->outputs[0].names = node.outputs[0].names;
    }
    if (slopes != nullptr) result.node->outputs[0].names = slopes->outputs[0].names;
    model_.replace_uses({slopes != nullptr ? slopes : &node, 0}, result);
    return true;
  }

  static std::shared_ptr<std::vector<float>> slopes_of(const Node& prelu) {
    const PartialShape& shape = prelu.outputs[0].shape;
    return std::make_shared<std::vector<float>>(*values_by_channel(prelu.inputs[1], shape, shape.rank() - 1));
  }

  // The only user of a node, if it is a PRelu with constant slopes by channel.
  static Node* prelu_after(const Node& node, Layout layout) {
    Node* const next = next_of(node);
    const PartialShape& shape = node.outputs[0].shape;
    if (!shape.has_rank() || shape.rank() == 0) return nullptr;
    if (next == nullptr || next->type != "PRelu" || next->inputs[0].node != &node ||
        layout != Layout::kChannelsLast || shape_of(next->inputs[1]).rank() == 1 ||
        !values_by_channel(next->inputs[1], shape, shape.rank() - 1))
      return nullptr;
    return next;
  }

  bool multiply(Node& node) {
    const auto view = ops::as_mat_mul(node);
    if (!view || view->row_group > 0 || node.outputs[0].type != ElementType::kF32) return false;
    const ops::QuantisedConstant* weights = ops::quantised_of(*node.inputs[1].node);
    if (weights == nullptr) return multiply_data(node, *view);
    IntegerMatMul::Parts parts = {view->spec, view->fusion};
    const ops::MatMulFusion& fusion = parts.fusion;
    if (fusion.bias && !is_constant(node.inputs[fusion.bias_input()])) return false;
    const auto data = values_.quantized(node.inputs[0]);
    if (!data || levels_of(*data).by_channel()) return false;
    if (!IntegerMatMul::takes(view->spec, *weights)) return false;

    std::vector<Source> inputs = node.inputs;
    inputs[0] = *data;
    if (fusion.residual && !ops::may_broadcast(node, fusion)) take_quantized(inputs.back());
    put_in_place(model_, node,
                 remade_as(node, std::make_shared<IntegerMatMul>(std::move(parts)), std::move(inputs)));
    return true;
  }

  // A matmul of two quantised values.
  bool multiply_data(Node& node, const ops::MatMulView& view) {
    if (!view.fusion.empty() || is_constant(node.inputs[0]) || is_constant(node.inputs[1])) return false;
    const auto a = values_.quantized(node.inputs[0]);
    const auto b = a ? values_.quantized(node.inputs[1]) : std::nullopt;
    if (!b || levels_of(*a).by_channel() || levels_of(*b).by_channel()) return false;
    if (!shape_of(*a).has_rank() || !shape_of(*b).has_rank() ||
        !IntegerBatchMatMul::takes(view.spec, shape_of(*a), shape_of(*b), levels_of(*b)))
      return false;
    IntegerBatchMatMul::Parts parts;
    parts.spec = view.spec;
    put_in_place(model_, node,
                 remade_as(node, std::make_shared<IntegerBatchMatMul>(std::move(parts)), {*a, *b}));
    return true;
  }

  // Whether a FakeQuantize after the node becomes a table, because both inputs are functions of one value.
  // Its levels are then not made from the result of the node.
  bool becomes_table(const Node& node) {
    Node* const next = next_of(node);
    if (next == nullptr || op_of<ops::fake_quantize::FakeQuantize>(*next) == nullptr) return false;
    const auto levels = values_.quantized({next, 0});
    return levels && levels->node->inputs[0].node != &node;
  }

  // A function of two quantised values.
  bool combine(Node& node) {
    const auto* op = op_of<ops::ElementwiseOp>(node);
    if (op == nullptr || node.inputs.size() != 2 || node.outputs[0].type != ElementType::kF32 ||
        !is_numpy(node))
      return false;
    const ops::ElementwiseFunction function = op->function(ElementType::kF32);
    if (!ops::is_binary_kernel(function) || !IntegerBinary::takes(function.parameters.binary)) return false;
    const auto a = values_.quantized(node.inputs[0]);
    const auto b = a ? values_.quantized(node.inputs[1]) : std::nullopt;
    if (!b || levels_of(*a).by_channel() || levels_of(*b).by_channel() || becomes_table(node)) return false;
    IntegerBinary::Parts parts;
    parts.function = function.parameters.binary;
    Node* last = &node;
    if (Node* next = next_of(node); next != nullptr && next->inputs[0].node == &node) {
      if (const auto function = unary_function_of(*next)) {
        parts.activation = *function;
        last = next;
      } else if (Node* const prelu = prelu_after(node, Layout::kChannelsLast)) {
        parts.slopes = slopes_of(*prelu);
        last = prelu;
      }
    }
    auto made = remade_as(node, std::make_shared<IntegerBinary>(std::move(parts)), {*a, *b});
    put_in_place(model_, *last, std::move(made));
    return true;
  }

  bool average(Node& node) {
    if (node.outputs[0].type != ElementType::kF32 || !IntegerMean::takes(node)) return false;
    const auto data = values_.quantized(node.inputs[0]);
    if (!data) return false;
    std::vector<Source> inputs = node.inputs;
    inputs[0] = *data;
    IntegerMean::Parts parts;
    parts.mean = node.op;
    put_in_place(model_, node,
                 remade_as(node, std::make_shared<IntegerMean>(std::move(parts)), std::move(inputs)));
    return true;
  }

  bool normalise(Node& node) {
    auto parts = node.outputs[0].type == ElementType::kF32 ? IntegerMvn::parts_of(node) : std::nullopt;
    const auto data = parts ? values_.quantized(node.inputs[0]) : std::nullopt;
    if (!data || (levels_of(*data).by_channel() && parts->to_last)) return false;
    Node* last = &node;
    const auto take = [&](const auto& match, auto& numbers) {
      Node* const next = next_of(*last);
      const auto step = next != nullptr ? match(*next, shape_of(*data).rank() - 1) : std::nullopt;
      if (!step || step->data.node != last) return;
      numbers = std::make_shared<std::vector<float>>(step->values);
      last = next;
    };
    if (!parts->to_last) {
      take(scaled_by_channel, parts->gamma);
      take(added_by_channel, parts->beta);
    }
    put_in_place(model_, *last, remade_as(node, std::make_shared<IntegerMvn>(std::move(*parts)), {*data}));
    return true;
  }

  // --- edges -----------------------------------------------------------------------------------------------

  // Each FakeQuantize that still has users in f32 becomes a Dequantize of its u8 value. Values in u8 that no
  // operation takes were removed from the model; their FakeQuantize stays, unless store_levels can make the
  // Quantize part of an operation on integers.
  void dequantize() {
    std::vector<Node*> nodes;
    for (const auto& node : model_.nodes) nodes.push_back(node.get());
    const std::unordered_set<const Node*> alive(nodes.begin(), nodes.end());
    for (Node* node : nodes) {
      if (node->type != "FakeQuantize") continue;
      std::optional<Source> value = values_.known({node, 0});
      if (!value || !alive.contains(value->node)) value = stored_levels(*node);
      if (!value) continue;
      auto made = remade_as(*node, std::make_shared<ops::Dequantize>(), {*value});
      put_in_place(model_, *node, std::move(made));
    }
  }

  // The levels of a FakeQuantize of a value that an operation on integers computes for no other user.
  std::optional<Source> stored_levels(Node& node) {
    const Node& stores = *node.inputs[0].node;
    if (op_of<ops::IntegerOp>(stores) == nullptr || stores.users(0).size() != 1) return std::nullopt;
    SharedQuantization levels = quantization_of(node);
    if (levels == nullptr) return std::nullopt;
    return values_.add_quantize(node, std::move(levels));
  }

  Model& model_;
  const model::Registry& registry_;
  QuantisedValues values_;
};

}  // namespace

bool compute_in_integers(Model& model, const model::Registry& registry) {
  return Rewriting(model, registry).run();
}

}  // namespace wasmvino::passes
