// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "ops/internal/integer_op.h"
#include "ops/internal/quantize.h"
#include "passes/edit.h"
#include "passes/passes.h"

namespace wasmvino::passes {
namespace {

using model::Model;
using model::Node;
using model::SharedQuantization;

// The levels of the Quantizes that use the value. nullptr if another operation uses it, or if levels differ.
SharedQuantization levels_of_users(const Node& node) {
  SharedQuantization levels;
  for (const model::User& user : node.users(0)) {
    const auto* quantize = op_of<ops::Quantize>(*user.node);
    if (quantize == nullptr || (levels != nullptr && !same(levels, quantize->quantization()))) return nullptr;
    levels = quantize->quantization();
  }
  return levels;
}

}  // namespace

bool store_levels(Model& model, const model::Registry&) {
  const bool changed = rewrite_operations(model, [&](Node& node) {
    const auto* op = op_of<ops::IntegerOp>(node);
    const SharedQuantization levels = op != nullptr ? levels_of_users(node) : nullptr;
    const auto storing = levels != nullptr ? op->with_levels(node, levels) : nullptr;
    if (storing == nullptr) return false;
    node.op = storing;
    node.outputs[0].type = ElementType::kU8;
    node.outputs[0].quantization = levels;
    std::vector<Node*> quantizes;
    for (const model::User& user : node.users(0)) quantizes.push_back(user.node);
    for (Node* quantize : quantizes) model.replace_uses({quantize, 0}, {&node, 0});
    return true;
  });
  if (!changed) return false;
  model.index();
  infer_again(model);
  return true;
}

}  // namespace wasmvino::passes
