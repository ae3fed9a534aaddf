// SPDX-License-Identifier: Apache-2.0
#include "recurrent_tester.h"

namespace wasmvino::test::gru_sequence_test {
namespace {

TEST(GRUSequence, FollowsTheFormulas) {
  for (const bool linear : {false, true}) {
    expect_sequences("GRUSequence", 3, {{sigmoid, function_named("tanh")}}, {}, linear);
    expect_sequences("GRUSequence", 3, {{function_named("tanh"), function_named("relu")}, 0.5},
                     {{"activations", "tanh,relu"}, {"clip", "0.5"}}, linear);
  }
}

// Every second step reads R backwards, in parts.
TEST(GRUSequence, LargeStatesEqualThoseOfSingleSteps) {
  const int64_t steps = 3, batch = 2, hidden = 256;
  for (const bool linear : {false, true}) {
    const Tensor w = random_tensor({1, 3 * hidden, 4}, 1),
                 r = random_tensor({1, 3 * hidden, hidden}, 2, 0.1f);
    const Tensor b = random_tensor({1, (linear ? 4 : 3) * hidden}, 3),
                 x = random_tensor({batch, steps, 4}, 4);
    Tensor h = random_tensor({batch, 1, hidden}, 5);
    const model::AttributeTexts attributes = {{"hidden_size", "256"},
                                              {"linear_before_reset", linear ? "true" : "false"}};
    const auto run = [&](const Tensor& data, const Tensor& before, int64_t length) {
      const Tensor lengths = Tensor::of<int64_t>({batch}, {length, length});
      return run_op("GRUSequence", 5, attributes, {data, before, lengths, w, r, b}, 2)[1];
    };
    const Tensor whole = run(x, h, steps);
    for (int64_t t = 0; t < steps; ++t) {
      Tensor data(ElementType::kF32, {batch, 1, 4});
      for (int64_t row = 0; row < batch; ++row)
        std::copy_n(x.data<float>() + (row * steps + t) * 4, 4, data.mutable_data<float>() + row * 4);
      h = run(data, h, 1);
    }
    for (size_t i = 0; i < h.size(); ++i)
      ASSERT_EQ(whole.data<float>()[i], h.data<float>()[i]) << linear << ", " << i;
  }
}

TEST(GRUSequence, Refuses) {
  expect_error(ErrorCode::kInvalidShape, "axis 1 of B [1,15] is 15, expected 20", [] {
    run_op("GRUSequence", 5, {{"hidden_size", "5"}, {"linear_before_reset", "true"}},
           {random_tensor({2, 3, 4}, 1), random_tensor({2, 1, 5}, 2), Tensor::of<int32_t>({2}, {3, 3}),
            random_tensor({1, 15, 4}, 4), random_tensor({1, 15, 5}, 5), random_tensor({1, 15}, 6)},
           2);
  });
}

}  // namespace
}  // namespace wasmvino::test::gru_sequence_test
