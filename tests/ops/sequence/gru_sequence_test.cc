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
