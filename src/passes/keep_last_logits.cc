// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "passes/edit.h"
#include "passes/passes.h"

namespace wasmvino::passes {
namespace {

using model::Model;
using model::Node;
using model::Source;

constexpr std::string_view kOutput = "logits";

const Node* find_output(const Model& model) {
  for (const Node* result : model.results) {
    const std::vector<std::string>& names = port_of(result->inputs[0]).names;
    const auto has = [](const std::vector<std::string>& list) {
      return std::find(list.begin(), list.end(), kOutput) != list.end();
    };
    if (has(names) || has(result->output_names)) return result;
  }
  return nullptr;
}

// Whether position i of output 0 depends on position i of input 0 only.
bool keeps_positions(const Node& node) {
  constexpr std::array<std::string_view, 6> kTypes = {"Convert",  "Add",    "Subtract",
                                                      "Multiply", "Divide", "Tanh"};
  return std::find(kTypes.begin(), kTypes.end(), node.type) != kTypes.end();
}

}  // namespace

void keep_last_logits(Model& model, const model::Registry& registry) {
  const Node* output = find_output(model);
  if (output == nullptr) {
    throw Error(ErrorCode::kInvalidArgument,
                "WASMVINO_LAST_LOGITS is for language models, but the model has no output 'logits'")
        .expected("an output 'logits'");
  }
  Node* node = output->inputs[0].node;
  while (keeps_positions(*node)) node = node->inputs[0].node;
  const PartialShape& data = node->inputs.empty() ? PartialShape() : shape_of(node->inputs[0]);
  if (node->type != "MatMul" || !data.has_rank() || data.rank() != 3) {
    throw Error(ErrorCode::kInvalidArgument,
                cat("WASMVINO_LAST_LOGITS expects a MatMul of rank 3 before the output 'logits', but found ",
                    node->type, " '", node->name, "'"))
        .expected("MatMul of [batch, positions, width]")
        .actual(node->type);
  }
  const std::string name = node->name + "/last";
  std::vector<Source> inputs = {node->inputs[0]};
  // start, stop, step, axis
  for (const int64_t value : {int64_t{-1}, std::numeric_limits<int64_t>::max(), int64_t{1}, int64_t{1}})
    inputs.push_back(model.add_ints(name, {value}));
  node->inputs.set(0, {model.add(registry.make_node("Slice", name, std::move(inputs))), 0});
}

}  // namespace wasmvino::passes
