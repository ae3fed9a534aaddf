// SPDX-License-Identifier: Apache-2.0
#include "recurrent_tester.h"

namespace wasmvino::test::rnn_sequence_test {
namespace {

TEST(RNNSequence, FollowsTheFormula) {
  expect_sequences("RNNSequence", 1, {{function_named("tanh")}});
  expect_sequences("RNNSequence", 1, {{function_named("relu")}, 0.5},
                   {{"activations", "relu"}, {"clip", "0.5"}});
}

TEST(RNNSequence, Refuses) {
  expect_error(ErrorCode::kInvalidShape, "R has shape [5,5], expected rank 3", [] {
    run_op("RNNSequence", 5, {{"hidden_size", "5"}},
           {random_tensor({2, 3, 4}, 1), random_tensor({2, 1, 5}, 2), Tensor::of<int32_t>({2}, {3, 3}),
            random_tensor({1, 5, 4}, 4), random_tensor({5, 5}, 5), random_tensor({1, 5}, 6)},
           2);
  });
}

}  // namespace
}  // namespace wasmvino::test::rnn_sequence_test
