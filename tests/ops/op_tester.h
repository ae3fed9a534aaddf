// SPDX-License-Identifier: Apache-2.0
// Runs one operation outside any graph, from its type, opset, attributes as in the IR, and input tensors. It
// runs the operation on one thread and split among several, and compares the results.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "model/infer.h"
#include "ops/registry.h"
#include "tests/ops/parallel_check.h"

namespace wasmvino::test {

using ops::registry;

inline std::unique_ptr<model::Node> make_node(const std::string& type, int opset,
                                              const model::AttributeTexts& attributes, size_t outputs) {
  const model::OpClass* found = registry().find(type, opset);
  if (found == nullptr) fail(ErrorCode::kUnsupported, "opset", opset, " has no ", type);
  auto op = found->make();
  model::AttributeReader reader(attributes);
  op->visit_attributes(reader);
  auto node = std::make_unique<model::Node>("test", std::string(found->type), found->since, std::move(op));
  node->outputs.resize(outputs);
  return node;
}

// Infers and computes. All inputs are known values.
inline std::vector<Tensor> run_op(const std::string& type, int opset, const model::AttributeTexts& attributes,
                                  const std::vector<Tensor>& inputs, size_t outputs = 1) {
  static const CutUp in_order_of_the_pool(3), backwards(3, false);
  const auto node = make_node(type, opset, attributes, outputs);
  const std::vector<Tensor> results = model::evaluate_node(*node, inputs);
  if (!node->op->is_pure()) return results;
  for (const Parallel* parallel : {&in_order_of_the_pool, &backwards}) {
    const std::vector<Tensor> others = model::evaluate_node(*node, inputs, *parallel);
    for (size_t i = 0; i < results.size(); ++i) {
      EXPECT_TRUE(same_elements(results[i], others[i])) << "output " << i << " on three threads";
    }
  }
  return results;
}

// Infers from partial shapes. Inputs with a value are known.
inline std::vector<model::ValueInfo> infer_op(const std::string& type, int opset,
                                              const model::AttributeTexts& attributes,
                                              const std::vector<model::ValueInfo>& inputs,
                                              size_t outputs = 1) {
  const auto node = make_node(type, opset, attributes, outputs);
  std::vector<const model::ValueInfo*> pointers;
  for (const auto& input : inputs) pointers.push_back(&input);
  std::vector<model::ValueInfo> results(outputs);
  model::InferContext context(*node, pointers, results);
  model::check_types(*node->op, pointers);
  node->op->infer(context);
  return results;
}

template <typename T>
void expect_tensor(const Tensor& got, const Shape& shape, const std::vector<T>& values) {
  ASSERT_EQ(name(got.type()), name(ElementTypeOf<T>::value));
  ASSERT_EQ(to_string(got.shape()), to_string(shape));
  for (size_t i = 0; i < values.size(); ++i) EXPECT_EQ(got.data<T>()[i], values[i]) << "element " << i;
}

inline void expect_near(const Tensor& got, const Shape& shape, const std::vector<float>& values,
                        float tolerance = 1e-5f) {
  ASSERT_EQ(name(got.type()), "f32");
  ASSERT_EQ(to_string(got.shape()), to_string(shape));
  for (size_t i = 0; i < values.size(); ++i) {
    const float value = got.data<float>()[i];
    if (std::isnan(values[i])) {
      EXPECT_TRUE(std::isnan(value)) << "element " << i << " is " << value;
    } else if (value != values[i]) {  // the difference of equal infinities is NaN
      EXPECT_NEAR(value, values[i], tolerance * (1.0f + std::fabs(values[i]))) << "element " << i;
    }
  }
}

// Expects the statement to throw an Error of this code whose message contains the text.
template <typename Statement>
void expect_error(ErrorCode code, const std::string& text, Statement statement) {
  try {
    statement();
    ADD_FAILURE() << "no error; expected one with '" << text << "'";
  } catch (const Error& error) {
    EXPECT_EQ(name(error.code()), name(code));
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

}  // namespace wasmvino::test
