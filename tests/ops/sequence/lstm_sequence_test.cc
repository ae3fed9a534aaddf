// SPDX-License-Identifier: Apache-2.0
#include "recurrent_tester.h"

namespace wasmvino::test::lstm_sequence_test {
namespace {

TEST(LSTMSequence, FollowsTheFormulas) {
  expect_sequences("LSTMSequence", 4, {{sigmoid, function_named("tanh"), function_named("tanh")}});
  expect_sequences("LSTMSequence", 4, {{function_named("hardsigmoid"), function_named("relu"), sigmoid}, 0.5},
                   {{"activations", "hardsigmoid, relu, sigmoid"}, {"clip", "0.5"}});
}

std::vector<Tensor> inputs_with_lengths(const Tensor& lengths) {
  return {random_tensor({2, 3, 4}, 1),  random_tensor({2, 1, 5}, 2),  random_tensor({2, 1, 5}, 3), lengths,
          random_tensor({1, 20, 4}, 4), random_tensor({1, 20, 5}, 5), random_tensor({1, 20}, 6)};
}

TEST(LSTMSequence, LengthsOfEitherIndexType) {
  const model::AttributeTexts attributes = {{"hidden_size", "5"}};
  const auto narrow =
      run_op("LSTMSequence", 5, attributes, inputs_with_lengths(Tensor::of<int32_t>({2}, {2, 3})), 3);
  const auto wide =
      run_op("LSTMSequence", 5, attributes, inputs_with_lengths(Tensor::of<int64_t>({2}, {2, 3})), 3);
  for (size_t i = 0; i < narrow[0].size(); ++i)
    ASSERT_EQ(narrow[0].data<float>()[i], wide[0].data<float>()[i]);
}

// Values of OpenVINO 2026.4.
TEST(LSTMSequence, NoStepLeavesNoState) {
  const auto got = run_op("LSTMSequence", 5, {{"hidden_size", "5"}},
                          inputs_with_lengths(Tensor::of<int32_t>({2}, {0, 2})), 3);
  for (const size_t state : {1, 2}) {
    for (size_t i = 0; i < 5; ++i) EXPECT_EQ(got[state].data<float>()[i], 0.0f);
    EXPECT_NE(got[state].data<float>()[5], 0.0f);
  }
}

TEST(LSTMSequence, Shapes) {
  using model::ValueInfo;
  const auto open = [](const PartialShape& shape) { return ValueInfo{ElementType::kF32, shape, nullptr}; };
  const auto found = infer_op(
      "LSTMSequence", 5, {{"hidden_size", "5"}, {"direction", "bidirectional"}},
      {open({Dimension(), Dimension(1, 9), 4}), open(PartialShape()), open(PartialShape()),
       ValueInfo{ElementType::kI32, {7}, nullptr}, open({2, 20, 4}), open({2, 20, 5}), open({2, 20})},
      3);
  EXPECT_EQ(to_string(found[0].shape), "[7,2,1..9,5]");
  EXPECT_EQ(to_string(found[2].shape), "[7,2,5]");
}

TEST(LSTMSequence, Refuses) {
  const auto run = [](const Tensor& lengths, const char* direction = "forward") {
    return [=] {
      run_op("LSTMSequence", 5, {{"hidden_size", "5"}, {"direction", direction}},
             inputs_with_lengths(lengths), 3);
    };
  };
  expect_error(ErrorCode::kInvalidValue, "sequence_lengths[1] is 4, outside 0..3",
               run(Tensor::of<int32_t>({2}, {1, 4})));
  expect_error(ErrorCode::kInvalidValue, "sequence_lengths[0] is -1", run(Tensor::of<int32_t>({2}, {-1, 1})));
  expect_error(ErrorCode::kInvalidShape, "axis 0 of sequence_lengths [3] is 3, expected 2",
               run(Tensor::of<int32_t>({3}, {1, 1, 1})));
  expect_error(ErrorCode::kInvalidType, "sequence_lengths has element type f32",
               run(Tensor::of<float>({2}, {1, 1})));
  expect_error(ErrorCode::kInvalidShape,
               "axis 1 of initial_hidden_state [2,1,5] is 1, expected 2: num_directions",
               run(Tensor::of<int32_t>({2}, {1, 1}), "bidirectional"));
  expect_error(ErrorCode::kInvalidModel, "'direction' is 'backward'",
               run(Tensor::of<int32_t>({2}, {1, 1}), "backward"));
}

}  // namespace
}  // namespace wasmvino::test::lstm_sequence_test
