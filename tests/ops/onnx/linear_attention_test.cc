// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tests/ops/domain_tester.h"

namespace wasmvino::test::linear_attention_test {
namespace {

// Two heads of queries for one of keys, two steps. Expected values: onnx 1.23's reference implementation.
struct Inputs {
  Tensor query = Tensor::of<float>({1, 2, 2, 2}, {1, 2, 0.5f, -1, 3, 4, 1, 0});
  Tensor key = Tensor::of<float>({1, 1, 2, 2}, {1, 0.5f, -0.5f, 1});
  Tensor value = Tensor::of<float>({1, 1, 2, 2}, {1, 2, 3, -1});
  Tensor state = Tensor::of<float>({1, 1, 2, 2}, {0.5f, 0, 0, 1});
  Tensor decay = Tensor::of<float>({1, 1, 1, 1}, {1});
  Tensor beta = Tensor::of<float>({1, 1, 1, 1}, {1});

  std::vector<Tensor> run(const model::AttributeTexts& attributes) const {
    const auto node = make_domain_node("ai.onnx", "LinearAttention", attributes);
    node->outputs.resize(2);
    const std::vector<Tensor> inputs = {query, key, value, state, decay, beta};
    return model::evaluate_node(*node, inputs, CutUp(3));
  }
};

TEST(LinearAttention, AddsKeysTimesValues) {
  const std::vector<Tensor> made = Inputs().run({});
  expect_near(made[0], {1, 2, 2, 2}, {2.5f, 6, -3.5f, 0.25f, 6.5f, 14, 0, 2.5f});
  expect_near(made[1], {1, 1, 2, 2}, {0, 2.5f, 3.5f, 1});
}

TEST(LinearAttention, DecaysAndCorrects) {
  Inputs inputs;
  inputs.decay = Tensor::of<float>({1, 1, 2, 1}, {std::exp(-0.5f), std::exp(-1.0f)});
  inputs.beta = Tensor::of<float>({1, 1, 2, 1}, {0.5f, 0.25f});
  const std::vector<Tensor> made = inputs.run({{"delta", "true"}});
  expect_near(made[0], {1, 2, 2, 2},
              {1, 2.9097958f, -0.8991495f, 0.15909803f, 2.6516328f, 6.667959f, -0.14225057f, 0.46498817f});
  expect_near(made[1], {1, 1, 2, 2}, {-0.14225057f, 0.46498817f, 0.8280242f, 0.07339606f});
}

TEST(LinearAttention, RowsMayDecayApart) {
  Inputs inputs;
  inputs.key = Tensor::of<float>({1, 1, 2, 2}, {0, 0, 0, 0});
  inputs.decay = Tensor::of<float>({1, 1, 2, 2}, {0.5f, 2, 1, 0.25f});
  expect_near(inputs.run({})[1], {1, 1, 2, 2}, {0.25f, 0, 0, 0.5f});
}

TEST(LinearAttention, Refuses) {
  Inputs inputs;
  inputs.value = Tensor::of<float>({1, 1, 1, 2}, {1, 2});
  expect_error(ErrorCode::kInvalidShape, "axis 2 of value [1,1,1,2] is 1, axis 2 of key is 2",
               [&] { inputs.run({}); });
  inputs = Inputs();
  inputs.decay = Tensor::of<float>({1, 1, 2, 3}, {1, 1, 1, 1, 1, 1});
  expect_error(ErrorCode::kInvalidShape, "axis 3 of decay [1,1,2,3] is 3", [&] { inputs.run({}); });
}

}  // namespace
}  // namespace wasmvino::test::linear_attention_test
