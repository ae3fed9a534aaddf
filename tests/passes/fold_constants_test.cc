// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "ops/common/registry.h"
#include "passes/passes.h"

namespace wasmvino::passes {
namespace {

using model::Model;
using model::Node;
using model::NodeKind;
using model::Source;
using ops::registry;

Source parameter(Model& model, const std::string& name) {
  auto op = std::make_shared<model::ParameterOp>();
  op->type = ElementType::kF32;
  op->shape = {2};
  auto node = std::make_unique<Node>(name, "Parameter", 1, std::move(op), NodeKind::kParameter);
  node->outputs.resize(1);
  model.parameters.push_back(model.add(std::move(node)));
  return {model.parameters.back(), 0};
}

Source add(Model& model, const std::string& type, const std::string& name, std::vector<Source> inputs,
           const model::AttributeTexts& attributes = {}) {
  return {model.add(registry().make_node(type, name, std::move(inputs), attributes)), 0};
}

void result(Model& model, Source source) {
  auto node = std::make_unique<Node>("result", "Result", 1, std::make_shared<model::ResultOp>(), NodeKind::kResult);
  node->inputs = {source};
  model.results.push_back(model.add(std::move(node)));
}

// "Constant weights; Parameter x; Add y(x, weights)": the graph in words, in order.
std::string describe(const Model& model) {
  std::string text;
  for (const auto& node : model.nodes) {
    if (!text.empty()) text += "; ";
    text += node->type + " " + node->name;
    for (size_t i = 0; i < node->inputs.size(); ++i) text += (i == 0 ? "(" : ", ") + node->inputs[i].node->name;
    if (!node->inputs.empty()) text += ")";
  }
  return text;
}

TEST(FoldConstants, TurnsWhatIsConstantIntoItsValue) {
  Model model;
  const Source x = parameter(model, "x");
  const Source stored = {model.add_constant("stored", Tensor::of<int32_t>({2}, {3, -4})), 0};
  const Source weights = add(model, "Convert", "weights", {stored}, {{"destination_type", "f32"}});
  const Source doubled = add(model, "Add", "doubled", {weights, weights});
  result(model, add(model, "Add", "y", {x, doubled}));
  model.index();
  EXPECT_EQ(describe(model),
            "Parameter x; Constant stored; Convert weights(stored); Add doubled(weights, weights); Add y(x, doubled); "
            "Result result(y)");
  run_passes(model, registry());
  EXPECT_EQ(describe(model), "Parameter x; Constant doubled; Add y(x, doubled); Result result(y)");
  const Tensor& value = doubled.node->constant->value();
  EXPECT_EQ(value.data<float>()[0], 6.0f);
  EXPECT_EQ(value.data<float>()[1], -8.0f);
}

TEST(FoldConstants, LeavesWhatDependsOnInputsOrOnChance) {
  Model model;
  const Source x = parameter(model, "x");
  result(model, add(model, "Add", "y", {x, x}));
  model.index();
  EXPECT_FALSE(fold_constants(model, registry()));
  EXPECT_EQ(describe(model), "Parameter x; Add y(x, x); Result result(y)");
}

}  // namespace
}  // namespace wasmvino::passes
