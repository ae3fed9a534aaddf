// SPDX-License-Identifier: Apache-2.0
// Builds small graphs for tests of passes, describes them as text, and computes them.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "model/infer.h"
#include "ops/registry.h"
#include "passes/passes.h"
#include "tests/kernels/random.h"

namespace wasmvino::passes {

using model::Model;
using model::Node;
using model::NodeKind;
using model::Source;
using ops::registry;

inline Source parameter(Model& model, const std::string& name, PartialShape shape = {2}) {
  auto op = std::make_shared<model::ParameterOp>();
  op->type = ElementType::kF32;
  op->shape = std::move(shape);
  auto node = std::make_unique<Node>(name, "Parameter", 1, std::move(op), NodeKind::kParameter);
  node->outputs.resize(1);
  model.parameters.push_back(model.add(std::move(node)));
  return {model.parameters.back(), 0};
}

inline Source add(Model& model, const std::string& type, const std::string& name, std::vector<Source> inputs,
                  const model::AttributeTexts& attributes = {}, size_t outputs = 1) {
  return {model.add(registry().make_node(type, name, std::move(inputs), attributes, outputs)), 0};
}

// A constant of small random numbers.
inline Source weights(Model& model, const std::string& name, const Shape& shape, uint32_t seed = 1) {
  const std::vector<float> values = kernels::random_floats(element_count(shape), seed);
  return {model.add_constant(name, Tensor::of<float>(shape, values.data())), 0};
}

inline Source integers(Model& model, const std::string& name, std::initializer_list<int64_t> values) {
  return {model.add_constant(name, Tensor::of<int64_t>({static_cast<int64_t>(values.size())}, values)), 0};
}

inline void result(Model& model, Source source) {
  auto node =
      std::make_unique<Node>("result", "Result", 1, std::make_shared<model::ResultOp>(), NodeKind::kResult);
  node->inputs = {source};
  model.results.push_back(model.add(std::move(node)));
}

// The graph as text, in order: "Constant weights; Parameter x; Add y(x, weights)".
inline std::string describe(const Model& model) {
  std::string text;
  for (const auto& node : model.nodes) {
    if (!text.empty()) text += "; ";
    text += node->type + " " + node->name;
    for (size_t i = 0; i < node->inputs.size(); ++i) {
      text += (i == 0 ? "(" : ", ") + node->inputs[i].node->name;
      if (node->inputs[i].port > 0) text += ":" + std::to_string(node->inputs[i].port);
    }
    if (!node->inputs.empty()) text += ")";
  }
  return text;
}

// The same without the constants and results.
inline std::string outline(const Model& model) {
  std::string text;
  for (const auto& node : model.nodes) {
    if (node->kind == NodeKind::kConstant || node->kind == NodeKind::kResult) continue;
    text += (text.empty() ? "" : "; ") + node->type + " " + node->name;
    std::string inputs;
    for (const Source& input : node->inputs) {
      if (input.node->kind == NodeKind::kConstant) continue;
      inputs += (inputs.empty() ? "(" : ", ") + input.node->name;
      if (input.port > 0) inputs += ":" + std::to_string(input.port);
    }
    text += inputs.empty() ? "" : inputs + ")";
  }
  return text;
}

// The results for random parameters of these shapes.
inline std::vector<Tensor> compute_for(const Model& model, const std::vector<Shape>& shapes) {
  std::vector<model::ValueInfo> parameters;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const std::vector<float> values =
        kernels::random_floats(element_count(shapes[i]), static_cast<uint32_t>(100 + i));
    parameters.push_back(model::ValueInfo::of(Tensor::of<float>(shapes[i], values.data())));
  }
  const model::Inference inference = model::infer_model(model, parameters);
  std::vector<Tensor> results;
  for (const Node* node : model.results) results.push_back(inference.of(node->inputs[0]).constant->value());
  return results;
}

// The results for random parameters, with `open_size` for dynamic dimensions.
inline std::vector<Tensor> compute(const Model& model, int64_t open_size = 5) {
  std::vector<Shape> shapes;
  for (const Node* parameter : model.parameters) {
    Shape& shape = shapes.emplace_back();
    for (const Dimension& d : static_cast<const model::ParameterOp&>(*parameter->op).shape) {
      shape.push_back(d.is_static() ? d.size() : open_size);
    }
  }
  return compute_for(model, shapes);
}

inline void expect_same(const std::vector<Tensor>& got, const std::vector<Tensor>& expected,
                        float tolerance = 2e-5f) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t r = 0; r < got.size(); ++r) {
    ASSERT_EQ(to_string(got[r].shape()), to_string(expected[r].shape())) << "result " << r;
    for (size_t i = 0; i < got[r].size(); ++i) {
      const float value = expected[r].data<float>()[i];
      if (std::isnan(value)) {
        ASSERT_TRUE(std::isnan(got[r].data<float>()[i])) << "result " << r << ", element " << i;
        continue;
      }
      ASSERT_NEAR(got[r].data<float>()[i], value, tolerance * (1 + std::abs(value)))
          << "result " << r << ", element " << i;
    }
  }
}

// Builds nodes, applies one pass, and compares outline and results before and after.
inline void check_pass(bool (*pass)(Model&, const model::Registry&), Model& model, const std::string& before,
                       const std::string& after) {
  model.index();
  model.infer();
  EXPECT_EQ(outline(model), before);
  const std::vector<Tensor> expected = compute(model), expected_larger = compute(model, 8);
  const bool changed = pass(model, registry());
  model.index();
  EXPECT_EQ(changed, before != after);
  EXPECT_EQ(outline(model), after);
  expect_same(compute(model), expected);
  expect_same(compute(model, 8), expected_larger);
}

// channels_last() as a pass without options.
inline bool channels_last_pass(Model& model, const model::Registry& registry) {
  return channels_last(model, registry);
}

// Applies a pass to a graph with dynamic dimensions. Compares results before and after, for each of these
// shapes of the parameters.
inline void check_open_sizes(bool (*pass)(Model&, const model::Registry&), Model& model,
                             const std::string& after, const std::vector<std::vector<Shape>>& shapes) {
  model.index();
  model.infer();
  std::vector<std::vector<Tensor>> expected;
  for (const auto& sizes : shapes) expected.push_back(compute_for(model, sizes));
  pass(model, registry());
  model.index();
  EXPECT_EQ(outline(model), after);
  for (size_t i = 0; i < shapes.size(); ++i) {
    SCOPED_TRACE(i);
    expect_same(compute_for(model, shapes[i]), expected[i]);
  }
}

}  // namespace wasmvino::passes
