// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "ops/internal/integer_batch_mat_mul.h"
#include "ops/internal/integer_binary.h"
#include "ops/internal/integer_convolution.h"
#include "ops/internal/integer_mat_mul.h"
#include "ops/internal/integer_mean.h"
#include "ops/internal/integer_mvn.h"
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
  if (node.outputs.empty()) return nullptr;
  for (const model::User& user : node.users(0)) {
    const auto* quantize = op_of<ops::Quantize>(*user.node);
    if (quantize == nullptr || (levels != nullptr && !same(levels, quantize->quantization()))) return nullptr;
    levels = quantize->quantization();
  }
  return levels;
}

template <typename T>
bool store_as(Node& node, const SharedQuantization& levels) {
  const auto* op = op_of<T>(node);
  if (op == nullptr) return false;
  auto parts = op->parts();
  if constexpr (requires { parts.fusion; }) {
    if (may_broadcast(node, parts.fusion)) return false;
  }
  parts.output = levels;
  node.op = std::make_shared<T>(std::move(parts));
  return true;
}

bool store_as_mvn(Node& node, const SharedQuantization& levels) {
  const auto* mvn = op_of<ops::IntegerMvn>(node);
  return mvn != nullptr && (levels->channels() == 1 || !mvn->parts().to_last) &&
         store_as<ops::IntegerMvn>(node, levels);
}

}  // namespace

bool store_levels(Model& model, const model::Registry&) {
  const bool changed = rewrite_operations(model, [&](Node& node) {
    const SharedQuantization levels = levels_of_users(node);
    if (levels == nullptr) return false;
    if (!store_as<ops::IntegerConvolution>(node, levels) && !store_as<ops::IntegerMatMul>(node, levels) &&
        !store_as<ops::IntegerMean>(node, levels) && !store_as_mvn(node, levels) &&
        (levels->channels() > 1 ||
         (!store_as<ops::IntegerBinary>(node, levels) && !store_as<ops::IntegerBatchMatMul>(node, levels)))) {
      return false;
    }
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
