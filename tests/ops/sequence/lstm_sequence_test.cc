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

// Every second step reads R backwards. run_op() also splits the work of a step among three threads.
TEST(LSTMSequence, LargeStatesEqualThoseOfSingleSteps) {
  const int64_t steps = 3, batch = 2, hidden = 512;
  const Tensor w = random_tensor({1, 4 * hidden, 4}, 1), b = random_tensor({1, 4 * hidden}, 2);
  const Tensor r = random_tensor({1, 4 * hidden, hidden}, 3, 0.1f);
  const Tensor h = random_tensor({batch, 1, hidden}, 4), c = random_tensor({batch, 1, hidden}, 5);
  const Tensor x = random_tensor({batch, steps, 4}, 6);
  const model::AttributeTexts attributes = {{"hidden_size", "512"}};
  const auto run = [&](const Tensor& data, const Tensor& h_before, const Tensor& c_before, int64_t length) {
    const Tensor lengths = Tensor::of<int64_t>({batch}, {length, length});
    return run_op("LSTMSequence", 5, attributes, {data, h_before, c_before, lengths, w, r, b}, 3);
  };
  const auto whole = run(x, h, c, steps);
  Tensor h_now = h, c_now = c;
  for (int64_t t = 0; t < steps; ++t) {
    Tensor data(ElementType::kF32, {batch, 1, 4});
    for (int64_t row = 0; row < batch; ++row)
      std::copy_n(x.data<float>() + (row * steps + t) * 4, 4, data.mutable_data<float>() + row * 4);
    const auto one = run(data, h_now, c_now, 1);
    h_now = one[1];
    c_now = one[2];
  }
  for (size_t i = 0; i < h_now.size(); ++i) {
    ASSERT_EQ(whole[1].data<float>()[i], h_now.data<float>()[i]) << i;
    ASSERT_EQ(whole[2].data<float>()[i], c_now.data<float>()[i]) << i;
  }
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
