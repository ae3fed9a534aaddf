// SPDX-License-Identifier: Apache-2.0
#include "passes/edit.h"

#include <algorithm>
#include <cmath>

#include "core/number_text.h"
#include "model/infer.h"
#include "ops/common/elementwise.h"

namespace wasmvino::passes {

using model::Node;
using model::Source;

Node* only_user(const Node& node) {
  const std::span<const model::User> users = node.users(0);
  if (users.size() != 1) return nullptr;
  for (size_t port = 1; port < node.outputs.size(); ++port) {
    if (!node.users(port).empty()) return nullptr;
  }
  return users[0].node;
}

Node* next_of(const Node& node) {
  Node* next = only_user(node);
  const bool fits = next != nullptr && next->kind == model::NodeKind::kOperation &&
                    next->outputs.size() == 1 && next->outputs[0].type == ElementType::kF32;
  return fits ? next : nullptr;
}

bool is_sum_of_likes(const Node& node) {
  if (node.type != "Add" || node.outputs[0].type != ElementType::kF32) return false;
  const Source a = node.inputs[0], b = node.inputs[1];
  const PartialShape& shape = a.node->outputs[a.port].shape;
  if (!shape.has_rank() || !(shape == b.node->outputs[b.port].shape)) return false;
  return shape.is_static() || is_numpy(node);
}

Tensor constant_of(Source source) {
  return source.node->kind == model::NodeKind::kConstant ? source.node->constant->value() : Tensor();
}

bool is_function_of_inputs(const Node& node) {
  return node.kind == model::NodeKind::kOperation && node.outputs.size() == 1 && node.bodies.empty() &&
         node.op->is_pure() && !node.inputs.empty();
}

namespace {

// Nodes that a value is computed from. A scale takes a handful; without a bound n nodes that read their input
// twice would be 2^n.
constexpr size_t kComputedNodes = 64;

std::optional<Tensor> compute_value(Source source, size_t& budget) {
  if (budget-- == 0) return std::nullopt;
  const Node& node = *source.node;
  if (node.kind == model::NodeKind::kConstant) return node.constant->value();
  if (!is_function_of_inputs(node)) return std::nullopt;
  std::vector<Tensor> inputs;
  for (const Source& input : node.inputs) {
    auto value = compute_value(input, budget);
    if (!value) return std::nullopt;
    inputs.push_back(std::move(*value));
  }
  return model::evaluate_node(node, inputs)[0];
}

}  // namespace

std::optional<Tensor> computed_value(Source source) {
  size_t budget = kComputedNodes;
  return compute_value(source, budget);
}

std::optional<Ints> constant_ints(Source source) {
  // Axes and the like: a longer constant holds data.
  constexpr size_t kMost = 4096;
  const Node& node = *source.node;
  if (node.kind != model::NodeKind::kConstant || element_count(node.constant->shape()) > kMost) return std::nullopt;
  return to_ints(node.constant->value().view());
}

std::optional<float> number_of(Source source) {
  // The shape tells whether it is worth reading.
  const Node& node = *source.node;
  if (node.kind != model::NodeKind::kConstant || node.constant->type() != ElementType::kF32 ||
      element_count(node.constant->shape()) != 1) {
    return std::nullopt;
  }
  return *node.constant->value().data<float>();
}

namespace {

// Powers that are products: the general one takes 20 times as long. Exponents with more axes than the data
// would add axes.
std::optional<kernels::UnaryFunction> power_of(const Node& node) {
  using kernels::Unary;
  const std::optional<float> exponent = number_of(node.inputs[1]);
  const PartialShape& data = node.inputs[0].node->outputs[node.inputs[0].port].shape;
  if (!exponent || !is_numpy(node)) return std::nullopt;
  const size_t rank = node.inputs[1].node->constant->shape().size();
  if (rank > 0 && (!data.has_rank() || rank > data.rank())) return std::nullopt;
  if (*exponent == 2.0f) return kernels::UnaryFunction{Unary::kSquare, 0, 0};
  if (*exponent == 3.0f) return kernels::UnaryFunction{Unary::kPower, 3, 0};
  if (*exponent == -1.0f) return kernels::UnaryFunction{Unary::kReciprocal, 0, 0};
  return std::nullopt;
}

}  // namespace

std::optional<kernels::UnaryFunction> unary_function_of(const Node& node) {
  using kernels::Unary;
  // Those whose numbers are inputs.
  constexpr struct {
    std::string_view type;
    Unary kind;
    float alpha, beta;  // where the inputs are not given
  } kParametric[] = {{"PRelu", Unary::kLeakyRelu, 0, 0},
                     {"Swish", Unary::kSwish, 1, 0},
                     {"HardSigmoid", Unary::kHardSigmoid, 0, 0},
                     {"Selu", Unary::kSelu, 0, 0}};
  for (const auto& parametric : kParametric) {
    if (node.type != parametric.type) continue;
    kernels::UnaryFunction function = {parametric.kind, parametric.alpha, parametric.beta};
    for (size_t i = 1; i < node.inputs.size(); ++i) {
      const std::optional<float> number = number_of(node.inputs[i]);
      if (!number) return std::nullopt;
      (i == 1 ? function.alpha : function.beta) = *number;
    }
    return function;
  }
  if (node.type == "Power") return power_of(node);
  const auto* op = model::op_cast<ops::ElementwiseOp>(node.op.get());
  if (op == nullptr || node.inputs.size() != 1) return std::nullopt;
  const ops::ElementwiseFunction function = op->function(ElementType::kF32);
  if (function.loop != ops::unary_kernel_loop || function.result != ElementType::kF32) return std::nullopt;
  return function.parameters.unary;
}

// A scale of one element would become as many as there are channels.
constexpr int64_t kMostChannels = 65536;

std::optional<std::vector<float>> values_by_channel(Source source, const PartialShape& shape, size_t axis) {
  const Node& node = *source.node;
  // The shape tells whether it is worth reading.
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
    const PartialShape& shape = data.node->outputs[data.port].shape;
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
  // Infinities would make NaNs of weights that are 0.
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

Source add_constant(model::Model& model, std::string name, std::shared_ptr<const model::ConstantData> value) {
  auto node = std::make_unique<Node>(std::move(name), "Constant", 1, std::make_shared<model::ConstantOp>(),
                                     model::NodeKind::kConstant);
  node->outputs.push_back({value->type(), value->shape(), {}});
  node->constant = std::move(value);
  return {model.add(std::move(node)), 0};
}

namespace {

class ScaledBytes final : public ByteSource {
 public:
  ScaledBytes(std::shared_ptr<const model::ConstantData> from, std::vector<float> values, size_t step,
              size_t block)
      : from_(std::move(from)), values_(std::move(values)), step_(step) {
    const size_t elements = element_count(from_->shape());
    block_ = block == 0 ? elements : block;
    count_ = values_.size() / std::max<size_t>(1, elements / std::max<size_t>(1, block_));
  }

  size_t size() const override { return element_count(from_->shape()) * sizeof(float); }

  void read(size_t offset, size_t count, void* to) const override {
    const Tensor source = from_->value();
    const float* from = source.data<float>();
    float* result = static_cast<float*>(to);
    const size_t first = offset / sizeof(float), last = first + count / sizeof(float);
    for (size_t i = first; i < last;) {
      const float* values = values_.data() + i / block_ * count_;
      size_t left = step_ - i % step_;  // elements that the next value is for
      for (size_t c = i / step_ % count_; c < count_ && i < last; ++c, left = step_) {
        for (const size_t end = std::min(last, i + left); i < end; ++i)
          result[i - first] = from[i] * values[c];
      }
    }
  }

 private:
  std::shared_ptr<const model::ConstantData> from_;
  std::vector<float> values_;
  size_t step_, block_, count_;
};

}  // namespace

Source add_scaled(model::Model& model, const Node& from, std::vector<float> values, size_t step,
                  size_t block) {
  const auto source = std::make_shared<ScaledBytes>(from.constant, std::move(values), step, block);
  const size_t bytes = source->size();
  return add_constant(
      model, from.name,
      std::make_shared<model::ConstantData>(ElementType::kF32, from.constant->shape(), source, 0, bytes));
}

Source add_floats(model::Model& model, std::string name, Shape shape, const std::vector<float>& values) {
  return {model.add_constant(std::move(name), Tensor::of<float>(std::move(shape), values.data())), 0};
}

Source add_ints(model::Model& model, std::string name, const Ints& values) {
  const Shape shape = {static_cast<int64_t>(values.size())};
  return {model.add_constant(std::move(name), Tensor::of<int64_t>(shape, values.data())), 0};
}

std::unique_ptr<Node> remade(const Node& node, std::shared_ptr<model::Op> op, std::vector<Source> inputs) {
  auto made = std::make_unique<Node>(node.name, node.type, node.version, std::move(op));
  made->id = node.id;
  made->line = node.line;
  made->inputs = std::move(inputs);
  made->outputs = node.outputs;
  return made;
}

std::unique_ptr<Node> remade_as(const Node& node, std::shared_ptr<model::Op> op, std::string_view type,
                                std::vector<Source> inputs) {
  auto made = remade(node, std::move(op), std::move(inputs));
  made->type = type;
  made->version = 0;
  return made;
}

void put_in_place(model::Model& model, Node& node, std::unique_ptr<Node> made) {
  made->outputs = node.outputs;
  model.replace_uses({&node, 0}, {model.add(std::move(made)), 0});
}

void replace_with(model::Model& model, Node& node, std::unique_ptr<Node> made) {
  made->id = node.id;
  made->line = node.line;
  put_in_place(model, node, std::move(made));
}

Source other_input(const Node& node, const Node& input) {
  return node.inputs[node.inputs[0].node == &input ? 1 : 0];
}

std::shared_ptr<model::Op> with_attributes(const model::Registry& registry, const Node& node,
                                           const model::AttributeTexts& changed) {
  model::AttributePrinter printer;
  node.op->visit_attributes(printer);
  model::AttributeTexts texts = printer.texts();
  for (const auto& [name, value] : changed) {
    const auto same = [&name = name](const auto& text) { return text.first == name; };
    const auto found = std::find_if(texts.begin(), texts.end(), same);
    if (found != texts.end()) {
      found->second = value;
    } else {
      texts.emplace_back(name, value);
    }
  }
  std::shared_ptr<model::Op> op = registry.find(node.type, node.version)->make();
  model::AttributeReader reader(texts);
  op->visit_attributes(reader);
  return op;
}

std::string attribute_of(const Node& node, std::string_view name) {
  model::AttributePrinter printer;
  node.op->visit_attributes(printer);
  for (const auto& [key, value] : printer.texts()) {
    if (key == name) return value;
  }
  return {};
}

double number_of(const Node& node, std::string_view name) {
  return parse_real(attribute_of(node, name)).value_or(0);
}

bool is_true(const Node& node, std::string_view name) { return attribute_of(node, name) == "true"; }

bool is_numpy(const Node& node) { return attribute_of(node, "auto_broadcast") == "numpy"; }

void infer_again(model::Model& model) {
  std::vector<Error> ignored;
  model.infer(&ignored);
}

}  // namespace wasmvino::passes
