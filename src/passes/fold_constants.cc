// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "model/infer.h"
#include "passes/passes.h"

namespace wasmvino::passes {

using model::Node;
using model::NodeKind;

namespace {

// Larger values are computed on demand. Weights that are dequantised or transposed are then packed and
// released; they do not stay in memory next to their packed form.
constexpr size_t kLargestKeptValue = size_t{1} << 16;

// The bytes that a node computes from constants.
class FoldedBytes final : public ByteSource {
 public:
  FoldedBytes(const Node& node, size_t bytes)
      : node_(node.name, node.type, node.version, node.op), bytes_(bytes) {
    node_.id = node.id;
    node_.line = node.line;
    node_.outputs = node.outputs;
    for (const model::Source& source : node.inputs) inputs_.push_back(source.node->constant);
  }
  size_t size() const override { return bytes_; }
  void read(size_t offset, size_t count, void* to) const override {
    std::vector<Tensor> inputs;
    for (const auto& input : inputs_) inputs.push_back(input->value());
    const Tensor value = model::evaluate_node(node_, inputs)[0];
    if (value.byte_size() != bytes_) {
      fail(ErrorCode::kInternal, "'", node_.name, "' has ", value.byte_size(), " bytes, expected ", bytes_);
    }
    std::memcpy(to, value.data<char>() + offset, count);
  }

 private:
  Node node_;
  std::vector<std::shared_ptr<const model::ConstantData>> inputs_;
  size_t bytes_;
};

bool is_foldable(const Node& node) {
  if (node.kind != NodeKind::kOperation || node.inputs.empty() || node.outputs.size() != 1) return false;
  if (!node.bodies.empty() || !node.op->is_pure()) return false;
  for (const model::Source& source : node.inputs) {
    if (source.node->kind != NodeKind::kConstant) return false;
  }
  return true;
}

std::shared_ptr<const model::ConstantData> folded(const Node& node) {
  const model::OutputPort& output = node.outputs[0];
  if (output.shape.is_static() && output.type != ElementType::kDynamic &&
      output.type != ElementType::kString) {
    const Shape shape = output.shape.to_shape();
    const size_t bytes = storage_bytes(output.type, element_count(shape));
    if (bytes > kLargestKeptValue) {
      return std::make_shared<model::ConstantData>(output.type, shape,
                                                   std::make_shared<FoldedBytes>(node, bytes), 0, bytes);
    }
  }
  std::vector<Tensor> inputs;
  for (const model::Source& source : node.inputs) inputs.push_back(source.node->constant->value());
  return std::make_shared<model::ConstantData>(model::evaluate_node(node, inputs)[0]);
}

}  // namespace

bool fold_constants(model::Model& model, const model::Registry&) {
  // Nodes come after their inputs, so later nodes can use folded values.
  bool changed = false;
  for (const auto& owned : model.nodes) {
    Node& node = *owned;
    if (!is_foldable(node)) continue;
    // The node itself becomes the constant, so its name still refers to the value.
    node.constant = folded(node);
    node.op = std::make_shared<model::ConstantOp>();
    node.kind = NodeKind::kConstant;
    node.type = "Constant";
    node.version = 1;
    node.inputs.clear();
    node.outputs[0].type = node.constant->type();
    node.outputs[0].shape = node.constant->shape();
    changed = true;
  }
  return changed;
}

}  // namespace wasmvino::passes
