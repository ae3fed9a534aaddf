// SPDX-License-Identifier: Apache-2.0
#include "recurrent_tester.h"

namespace wasmvino::test::gru_cell_test {
namespace {

const Formula kDefault = {{sigmoid, function_named("tanh")}};

TEST(GRUCell, FollowsTheFormulas) {
  for (const bool linear : {false, true}) {
    expect_cell({.type = "GRUCell",
                 .opset = 3,
                 .gates = 3,
                 .batch = 2,
                 .input = 4,
                 .hidden = 3,
                 .linear_before_reset = linear,
                 .formula = kDefault});
    expect_cell({.type = "GRUCell",
                 .opset = 3,
                 .gates = 3,
                 .batch = 7,
                 .input = 19,
                 .hidden = 30,
                 .linear_before_reset = linear,
                 .formula = kDefault});
    expect_cell({.type = "GRUCell",
                 .opset = 3,
                 .gates = 3,
                 .batch = 1,
                 .input = 256,
                 .hidden = 300,
                 .linear_before_reset = linear,
                 .formula = kDefault});
    expect_cell({.type = "GRUCell",
                 .opset = 3,
                 .gates = 3,
                 .batch = 2,
                 .input = 4,
                 .hidden = 3,
                 .linear_before_reset = linear,
                 .bias = false,
                 .formula = kDefault});
  }
}

TEST(GRUCell, ActivationsAndClip) {
  for (const bool linear : {false, true}) {
    expect_cell({.type = "GRUCell",
                 .opset = 3,
                 .gates = 3,
                 .batch = 2,
                 .input = 4,
                 .hidden = 5,
                 .attributes = {{"activations", "hardsigmoid, relu"}, {"clip", "0.4"}},
                 .linear_before_reset = linear,
                 .formula = {{function_named("hardsigmoid"), function_named("relu")}, 0.4}});
  }
}

TEST(GRUCell, Refuses) {
  const Tensor x = random_tensor({2, 4}, 1), h = random_tensor({2, 3}, 2), w = random_tensor({9, 4}, 3);
  const Tensor r = random_tensor({9, 3}, 4), b = random_tensor({9}, 5);
  expect_error(ErrorCode::kInvalidShape, "axis 0 of B [9] is 9, expected 12", [&] {
    run_op("GRUCell", 3, {{"hidden_size", "3"}, {"linear_before_reset", "true"}}, {x, h, w, r, b});
  });
  expect_error(ErrorCode::kInvalidShape, "axis 0 of initial_hidden_state [5,3] is 5, expected 2",
               [&] { run_op("GRUCell", 3, {{"hidden_size", "3"}}, {x, random_tensor({5, 3}, 1), w, r, b}); });
  expect_error(ErrorCode::kInvalidModel, "the layer has 3 inputs, expected 4 to 5",
               [&] { run_op("GRUCell", 3, {{"hidden_size", "3"}}, {x, h, w}); });
}

}  // namespace
}  // namespace wasmvino::test::gru_cell_test
