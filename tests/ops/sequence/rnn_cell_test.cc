// SPDX-License-Identifier: Apache-2.0
#include "recurrent_tester.h"

namespace wasmvino::test::rnn_cell_test {
namespace {

TEST(RNNCell, FollowsTheFormula) {
  const Formula formula = {{function_named("tanh")}};
  expect_cell(
      {.type = "RNNCell", .opset = 3, .gates = 1, .batch = 2, .input = 4, .hidden = 3, .formula = formula});
  expect_cell(
      {.type = "RNNCell", .opset = 1, .gates = 1, .batch = 6, .input = 9, .hidden = 20, .formula = formula});
  expect_cell({.type = "RNNCell",
               .opset = 3,
               .gates = 1,
               .batch = 1,
               .input = 5,
               .hidden = 8,
               .bias = false,
               .formula = formula});
}

TEST(RNNCell, ActivationsAndClip) {
  for (const std::string name : {"relu", "sigmoid", "tanh", "hardsigmoid"}) {
    expect_cell({.type = "RNNCell",
                 .opset = 3,
                 .gates = 1,
                 .batch = 2,
                 .input = 4,
                 .hidden = 3,
                 .attributes = {{"activations", name}, {"clip", "0.4"}},
                 .formula = {{function_named(name)}, 0.4}});
  }
}

TEST(RNNCell, Refuses) {
  const Tensor x = random_tensor({2, 4}, 1), h = random_tensor({2, 3}, 2);
  expect_error(ErrorCode::kInvalidShape, "axis 1 of H [2,3] is 3, expected 4", [&] {
    run_op("RNNCell", 3, {{"hidden_size", "4"}}, {x, h, random_tensor({3, 4}, 3), random_tensor({3, 3}, 4)});
  });
}

}  // namespace
}  // namespace wasmvino::test::rnn_cell_test
