// SPDX-License-Identifier: Apache-2.0
// Expected values follow from the operation's definition.
#include "extension_tester.h"

namespace wasmvino::test::ragged_to_dense_test {
namespace {

std::vector<Tensor> pad(int32_t length, const model::AttributeTexts& attributes,
                        std::vector<Tensor> more = {}) {
  const std::vector<Tensor> rows = {vector_of({0, 3}), vector_of({3, 4}), vector_of({1, 2, 3, 4}),
                                    Tensor::scalar<int32_t>(length), Tensor::scalar<int32_t>(9)};
  return run_extension("RaggedToDense", attributes, joined(rows, more), 2);
}

TEST(RaggedToDense, PadsAtEitherSide) {
  const auto right = pad(3, {});
  expect_tensor<int32_t>(right[0], {2, 3}, {1, 2, 3, 4, 9, 9});
  EXPECT_EQ(flags_in(right[1]), (std::vector<int>{1, 1, 1, 1, 0, 0}));
  const auto left = pad(3, {{"pad_right", "false"}});
  expect_tensor<int32_t>(left[0], {2, 3}, {1, 2, 3, 9, 9, 4});
  EXPECT_EQ(flags_in(left[1]), (std::vector<int>{1, 1, 1, 0, 0, 1}));
}

TEST(RaggedToDense, PrefersTheInputToTheAttribute) {
  expect_tensor<int32_t>(pad(2, {}, {Tensor::scalar<bool>(false)})[0], {2, 2}, {1, 2, 9, 4});
}

TEST(RaggedToDense, HandlesElementsWithAxes) {
  const int32_t values[] = {1, 2, 3, 4, 5, 6};
  const auto results =
      run_extension("RaggedToDense", {},
                    {vector_of({0, 2}), vector_of({2, 3}), Tensor::of<int32_t>({3, 2}, values),
                     Tensor::scalar<int32_t>(2), Tensor::scalar<int32_t>(0)},
                    2);
  expect_tensor<int32_t>(results[0], {2, 2, 2}, {1, 2, 3, 4, 5, 6, 0, 0});
  EXPECT_EQ(flags_in(results[1]), (std::vector<int>{1, 1, 1, 1, 1, 1, 0, 0}));
}

TEST(RaggedToDense, RefusesANegativeLength) {
  expect_error(ErrorCode::kInvalidValue, "the padded length is -1", [] { pad(-1, {}); });
}

}  // namespace
}  // namespace wasmvino::test::ragged_to_dense_test
