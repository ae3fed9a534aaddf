// SPDX-License-Identifier: Apache-2.0
#include "core/float_types.h"
#include "recurrent_tester.h"

namespace wasmvino::test::lstm_cell_test {
namespace {

const Formula kDefault = {{sigmoid, function_named("tanh"), function_named("tanh")}};

TEST(LSTMCell, FollowsTheFormulas) {
  for (const int opset : {1, 4}) {
    expect_cell({.type = "LSTMCell",
                 .opset = opset,
                 .gates = 4,
                 .batch = 2,
                 .input = 4,
                 .hidden = 3,
                 .formula = kDefault});
    expect_cell({.type = "LSTMCell",
                 .opset = opset,
                 .gates = 4,
                 .batch = 1,
                 .input = 1,
                 .hidden = 1,
                 .formula = kDefault});
  }
  expect_cell({.type = "LSTMCell",
               .opset = 4,
               .gates = 4,
               .batch = 5,
               .input = 17,
               .hidden = 33,
               .formula = kDefault});
  expect_cell({.type = "LSTMCell",
               .opset = 4,
               .gates = 4,
               .batch = 1,
               .input = 300,
               .hidden = 250,
               .formula = kDefault});
}

TEST(LSTMCell, WithoutBias) {
  expect_cell({.type = "LSTMCell",
               .opset = 4,
               .gates = 4,
               .batch = 2,
               .input = 4,
               .hidden = 3,
               .bias = false,
               .formula = kDefault});
}

TEST(LSTMCell, ActivationsAndClip) {
  expect_cell({.type = "LSTMCell",
               .opset = 4,
               .gates = 4,
               .batch = 2,
               .input = 4,
               .hidden = 9,
               .attributes = {{"activations", "Tanh,relu, sigmoid"}, {"clip", "0.4"}},
               .formula = {{function_named("tanh"), function_named("relu"), sigmoid}, 0.4}});
  expect_cell({.type = "LSTMCell",
               .opset = 4,
               .gates = 4,
               .batch = 2,
               .input = 4,
               .hidden = 3,
               .attributes = {{"activations", "hardsigmoid,tanh,hardsigmoid"},
                              {"activations_alpha", "0.3"},
                              {"activations_beta", "0.4"}},
               .formula = {{function_named("hardsigmoid", 0.3, 0.4), function_named("tanh"),
                            function_named("hardsigmoid")}}});
  expect_cell({.type = "LSTMCell",
               .opset = 4,
               .gates = 4,
               .batch = 2,
               .input = 4,
               .hidden = 3,
               .attributes = {{"clip", "inf"}, {"activations", ""}},
               .formula = kDefault});
}

struct Inputs {
  Tensor x = random_tensor({2, 4}, 1), h = random_tensor({2, 3}, 2), c = random_tensor({2, 3}, 3);
  Tensor w = random_tensor({12, 4}, 4), r = random_tensor({12, 3}, 5), b = random_tensor({12}, 6);
};

std::vector<float> values(const Tensor& tensor) {
  return {tensor.data<float>(), tensor.data<float>() + tensor.size()};
}

TEST(LSTMCell, WeightsInOneInput) {
  const Inputs in;
  Tensor wr(ElementType::kF32, {12, 7});
  for (size_t i = 0; i < 12; ++i) {
    std::copy_n(in.w.data<float>() + i * 4, 4, wr.mutable_data<float>() + i * 7);
    std::copy_n(in.r.data<float>() + i * 3, 3, wr.mutable_data<float>() + i * 7 + 4);
  }
  const model::AttributeTexts attributes = {{"hidden_size", "3"}};
  const auto expected = run_op("LSTMCell", 4, attributes, {in.x, in.h, in.c, in.w, in.r, in.b}, 2);
  for (const std::vector<size_t>& constants : {std::vector<size_t>{}, std::vector<size_t>{3, 4}}) {
    const auto got = run_op_open("LSTMCell", 4, attributes, {in.x, in.h, in.c, wr, in.b}, 2, constants);
    expect_near(got[0], {2, 3}, values(expected[0]));
    expect_near(got[1], {2, 3}, values(expected[1]));
  }
  const auto unbiased = run_op("LSTMCell", 4, attributes, {in.x, in.h, in.c, in.w, in.r}, 2);
  expect_near(run_op("LSTMCell", 4, attributes, {in.x, in.h, in.c, wr}, 2)[1], {2, 3}, values(unbiased[1]));
}

TEST(LSTMCell, Version1LeavesFormatAndPeepholesAside) {
  const Inputs in;
  const auto expected =
      run_op("LSTMCell", 4, {{"hidden_size", "3"}}, {in.x, in.h, in.c, in.w, in.r, in.b}, 2);
  const auto got =
      run_op("LSTMCell", 1, {{"hidden_size", "3"}, {"weights_format", "ifco"}, {"input_forget", "true"}},
             {in.x, in.h, in.c, in.w, in.r, in.b, random_tensor({9}, 7)}, 2);
  expect_near(got[0], {2, 3}, values(expected[0]));
  expect_error(ErrorCode::kInvalidModel, "'weights_format' is 'abcd'", [&] {
    run_op("LSTMCell", 1, {{"hidden_size", "3"}, {"weights_format", "abcd"}},
           {in.x, in.h, in.c, in.w, in.r, in.b}, 2);
  });
}

TEST(LSTMCell, HalfPrecision) {
  const Inputs in;
  const auto half = [](const Tensor& tensor) {
    Tensor result(ElementType::kF16, tensor.shape());
    for (size_t i = 0; i < tensor.size(); ++i)
      result.mutable_data<uint16_t>()[i] = f32_to_f16(tensor.data<float>()[i]);
    return result;
  };
  const auto expected =
      run_op("LSTMCell", 4, {{"hidden_size", "3"}}, {in.x, in.h, in.c, in.w, in.r, in.b}, 2);
  for (const std::vector<size_t>& constants : {std::vector<size_t>{}, std::vector<size_t>{3, 4, 5}}) {
    const auto got =
        run_op_open("LSTMCell", 4, {{"hidden_size", "3"}},
                    {half(in.x), half(in.h), half(in.c), half(in.w), half(in.r), half(in.b)}, 2, constants);
    for (size_t i = 0; i < 6; ++i) {
      EXPECT_NEAR(f16_to_f32(got[0].data<uint16_t>()[i]), expected[0].data<float>()[i], 2e-3f);
      EXPECT_NEAR(f16_to_f32(got[1].data<uint16_t>()[i]), expected[1].data<float>()[i], 2e-3f);
    }
  }
}

TEST(LSTMCell, Shapes) {
  using model::ValueInfo;
  const auto open = [](const PartialShape& shape) { return ValueInfo{ElementType::kF32, shape, nullptr}; };
  const auto found = infer_op("LSTMCell", 4, {{"hidden_size", "3"}},
                              {open({Dimension(), 4}), open({Dimension(1, 8), Dimension()}),
                               open(PartialShape()), open({12, 4}), open({12, 3}), open({12})},
                              2);
  EXPECT_EQ(to_string(found[0].shape), "[1..8,3]");
  EXPECT_EQ(to_string(found[1].shape), "[1..8,3]");
}

TEST(LSTMCell, Refuses) {
  const Inputs in;
  const auto run = [&](std::vector<Tensor> inputs, const char* hidden = "3") {
    return [=] { run_op("LSTMCell", 4, {{"hidden_size", hidden}}, inputs, 2); };
  };
  expect_error(ErrorCode::kInvalidShape,
               "axis 0 of initial_cell_state [3,3] is 3, expected 2: batch_size is 2 by X",
               run({in.x, in.h, random_tensor({3, 3}, 1), in.w, in.r, in.b}));
  expect_error(ErrorCode::kInvalidShape, "axis 0 of R [11,3] is 11, expected 12",
               run({in.x, in.h, in.c, in.w, random_tensor({11, 3}, 1), in.b}));
  expect_error(ErrorCode::kInvalidShape, "axis 1 of W [12,5] is 5, expected 4",
               run({in.x, in.h, in.c, random_tensor({12, 5}, 1), in.r, in.b}));
  expect_error(ErrorCode::kInvalidShape, "axis 1 of WR [12,6] is 6, expected 7",
               run({in.x, in.h, in.c, random_tensor({12, 6}, 1), in.b}));
  expect_error(ErrorCode::kInvalidShape, "axis 0 of B [9] is 9",
               run({in.x, in.h, in.c, in.w, in.r, random_tensor({9}, 1)}));
  expect_error(ErrorCode::kInvalidShape, "expected 7: hidden_size is 7 by the attribute",
               run({in.x, in.h, in.c, in.w, in.r, in.b}, "7"));
  expect_error(ErrorCode::kInvalidShape, "X has shape [8], expected rank 2",
               run({random_tensor({8}, 1), in.h, in.c, in.w, in.r, in.b}));
  expect_error(ErrorCode::kInvalidType, "initial_hidden_state has element type f64, X has f32",
               run({in.x, Tensor(ElementType::kF64, {2, 3}), in.c, in.w, in.r, in.b}));
  expect_error(ErrorCode::kInvalidModel, "'hidden_size' is 0", run({in.x}, "0"));
  expect_error(ErrorCode::kInvalidModel, "contains 'softsign'", [&] {
    run_op("LSTMCell", 4, {{"hidden_size", "3"}, {"activations", "softsign,tanh,tanh"}}, {in.x}, 2);
  });
  expect_error(ErrorCode::kInvalidModel, "has 2 functions, expected 3", [&] {
    run_op("LSTMCell", 4, {{"hidden_size", "3"}, {"activations", "sigmoid,tanh"}}, {in.x}, 2);
  });
  expect_error(ErrorCode::kInvalidModel, "'hidden_size' is missing",
               [&] { run_op("LSTMCell", 4, {}, {in.x}, 2); });
}

}  // namespace
}  // namespace wasmvino::test::lstm_cell_test
