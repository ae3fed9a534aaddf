// SPDX-License-Identifier: Apache-2.0
#include "passes/constants.h"

#include <algorithm>

#include "model/infer.h"
#include "passes/edit.h"

namespace wasmvino::passes {

using model::Node;
using model::Source;

Tensor constant_of(Source source) {
  return source.node->kind == model::NodeKind::kConstant ? source.node->constant->value() : Tensor();
}

namespace {

// The maximum number of nodes that a value is computed from. A scale needs a handful. Without a limit, n
// nodes that each read their input twice would be visited 2^n times.
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

std::optional<float> number_of(Source source) {
  // Checks the shape first, to avoid reading values that cannot match.
  const Node& node = *source.node;
  if (node.kind != model::NodeKind::kConstant || node.constant->type() != ElementType::kF32 ||
      element_count(node.constant->shape()) != 1) {
    return std::nullopt;
  }
  return *node.constant->value().data<float>();
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
      size_t left = step_ - i % step_;  // elements that use the next value
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

}  // namespace wasmvino::passes
